import type { AuthDocument, AuthFile, JsonRecord } from './auth-file.ts'
import { grantFields, patchEntry, storedEntries } from './auth-entries.ts'
import { instantMs } from './cooldown.ts'
import { expiryMs, type PoolEntry, toEntry } from './entry.ts'
import type { AgentKey, GrantStore, KeptGrant } from './grant.ts'

/** The grant that a pool entry holds; undefined for one without a token. */
export function entryGrant(entry: PoolEntry): KeptGrant | undefined {
  if (entry.access_token === '' && !entry.refresh_token) return undefined
  const { tls } = entry
  return {
    accessToken: entry.access_token,
    refreshToken: entry.refresh_token || undefined,
    expiresAtMs: expiryMs(entry),
    tokenType: entry.token_type || undefined,
    scope: entry.scope || undefined,
    inferenceUrl: entry.inference_base_url || undefined,
    agentKey: agentKeyOf(entry),
    clientId: entry.client_id || undefined,
    server: entry.portal_base_url || undefined,
    ...(tls && { tls: { insecure: tls.insecure ?? false, caBundle: tls.ca_bundle || undefined } }),
  }
}

function agentKeyOf(entry: PoolEntry): AgentKey | undefined {
  if (!entry.agent_key) return undefined
  const { agent_key_expires_in: lifetime } = entry
  return {
    secret: entry.agent_key,
    id: undefined,
    expiresAtMs: instantMs(entry.agent_key_expires_at),
    lifetimeMs: typeof lifetime === 'number' ? lifetime * 1000 : undefined,
    reused: undefined,
  }
}

/** The grant in a provider's state (`providers.<id>`), in either form: Codex keeps its tokens one level deeper. */
export function stateGrant(state: JsonRecord | undefined): KeptGrant | undefined {
  if (!state) return undefined
  const { tokens } = state
  const nested = typeof tokens === 'object' && tokens !== null ? (tokens as JsonRecord) : {}
  const entry = toEntry({ ...state, ...nested, id: 'state', auth_type: 'oauth' })
  return entry && entryGrant(entry)
}

/** A provider's state with another grant in it; everything else stays. */
export function withGrant(
  state: JsonRecord | undefined,
  provider: string,
  grant: KeptGrant,
  nowMs: number,
): JsonRecord {
  if (provider !== 'openai-codex') return { ...state, ...grantFields(grant, nowMs) }
  const { access_token, refresh_token, last_refresh, ...rest } = grantFields(grant, nowMs)
  const kept = ['client_id', 'portal_base_url', 'tls'].flatMap((name) => (name in rest ? [[name, rest[name]]] : []))
  const tokens = { access_token, refresh_token }
  return { ...state, tokens, last_refresh, auth_mode: 'chatgpt', ...(Object.fromEntries(kept) as JsonRecord) }
}

export interface EntryGrantOptions {
  readonly file: AuthFile
  readonly provider: string
  readonly id: string
  /** The grant is in the provider's state; the pool's entry only shows it. */
  readonly inState: boolean
  readonly title: string
  readonly now: () => number
}

/** `auth.json` as the place that owns a grant. */
export function entryGrantStore({ file, provider, id, inState, title, now }: EntryGrantOptions): GrantStore {
  const find = (document: AuthDocument): KeptGrant | undefined => {
    if (inState) return stateGrant(document.providers[provider])
    const entry = storedEntries(document, provider).find((one) => one.id === id)
    return entry && entryGrant(entry)
  }
  return {
    key: `${file.path}#${provider}/${inState ? 'state' : id}`,
    title,
    read: async () => find(await file.read()),
    write: async (grant) => {
      await file.update((draft) => {
        if (inState) draft.providers[provider] = withGrant(draft.providers[provider], provider, grant, now())
        patchEntry(draft, provider, id, grantFields(grant, now()))
      })
    },
  }
}
