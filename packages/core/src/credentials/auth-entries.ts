import type { AuthDocument, JsonRecord } from './auth-file.ts'
import { type PoolEntry, toEntry } from './entry.ts'
import type { KeptGrant } from './grant.ts'

// Reading and changing the credentials in an `auth.json` document. Stored entries are changed field by field, so that
// what other versions put there stays.

/** The stored entries of a provider's pool that can be read, in their order of priority. */
export function storedEntries(document: AuthDocument, provider: string): readonly PoolEntry[] {
  const entries = (document.credential_pool[provider] ?? []).flatMap((stored) => toEntry(stored) ?? [])
  return entries.toSorted((a, b) => a.priority - b.priority)
}

/** Sets fields of one stored entry; false when it is not there. */
export function patchEntry(draft: AuthDocument, provider: string, id: string, patch: JsonRecord): boolean {
  const stored = draft.credential_pool[provider]?.find((entry) => entry['id'] === id)
  if (stored) Object.assign(stored, patch)
  return stored !== undefined
}

/** A credential as far as keeping it goes: see `PooledCredential`. */
export interface Keepable {
  readonly entry: { readonly id: string }
  readonly fresh: JsonRecord
  readonly isStored: boolean
}

/**
 * Sets fields of a credential's entry, and makes the entry for one that was found outside the pool. An entry that was
 * taken out since it was read stays out.
 */
export function keepEntry(draft: AuthDocument, provider: string, credential: Keepable, patch: JsonRecord): void {
  const { entry, fresh, isStored } = credential
  if (patchEntry(draft, provider, entry.id, isStored ? { ...fresh, ...patch } : patch) || isStored) return
  const pool = (draft.credential_pool[provider] ??= [])
  pool.push({ ...fresh, priority: nextPriority(pool), ...patch })
}

export function nextPriority(pool: readonly JsonRecord[]): number {
  return pool.reduce((next, { priority }) => (typeof priority === 'number' ? Math.max(next, priority + 1) : next), 0)
}

/** Takes a stored entry out of its pool. */
export function removeEntry(draft: AuthDocument, provider: string, id: string): void {
  const pool = draft.credential_pool[provider]
  if (!pool) return
  const rest = pool.filter((entry) => entry['id'] !== id)
  if (rest.length > 0) draft.credential_pool[provider] = rest
  else delete draft.credential_pool[provider]
}

/** Keeps a source from being used again, or lets it be. */
export function setSuppressed(draft: AuthDocument, provider: string, source: string, suppressed: boolean): void {
  const others = (draft.suppressed_sources?.[provider] ?? []).filter((one) => one !== source)
  const sources = suppressed ? [...others, source] : others
  if (sources.length > 0) draft.suppressed_sources = { ...draft.suppressed_sources, [provider]: sources }
  else if (draft.suppressed_sources) delete draft.suppressed_sources[provider]
}

/** A grant as fields of a pool entry, or of a provider's state; fields of what it does not have are left alone. */
export function grantFields(grant: KeptGrant, nowMs: number): JsonRecord {
  const iso = (ms: number): string => new Date(ms).toISOString()
  const { accessToken, refreshToken, expiresAtMs, tokenType, scope, inferenceUrl, agentKey, clientId, server, tls } =
    grant
  return {
    access_token: accessToken,
    refresh_token: refreshToken ?? null,
    expires_at: expiresAtMs === undefined ? null : iso(expiresAtMs),
    expires_at_ms: expiresAtMs ?? null,
    ...(expiresAtMs !== undefined && { expires_in: Math.max(0, Math.round((expiresAtMs - nowMs) / 1000)) }),
    obtained_at: iso(nowMs),
    last_refresh: iso(nowMs),
    ...(tokenType !== undefined && { token_type: tokenType }),
    ...(scope !== undefined && { scope }),
    ...(inferenceUrl !== undefined && { inference_base_url: inferenceUrl }),
    ...(agentKey && {
      agent_key: agentKey.secret,
      agent_key_id: agentKey.id ?? null,
      agent_key_expires_at: agentKey.expiresAtMs === undefined ? null : iso(agentKey.expiresAtMs),
      agent_key_expires_in: agentKey.lifetimeMs === undefined ? null : Math.round(agentKey.lifetimeMs / 1000),
      agent_key_reused: agentKey.reused ?? null,
      agent_key_obtained_at: iso(nowMs),
    }),
    ...(clientId !== undefined && { client_id: clientId }),
    ...(server !== undefined && { portal_base_url: server }),
    ...(tls && { tls: { insecure: tls.insecure ?? false, ca_bundle: tls.caBundle ?? null } }),
  }
}
