import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { JsonRecord } from './auth-file.ts'
import { cooldownMs, instantMs } from './cooldown.ts'
import { jwtClaims } from './jwt-claims.ts'

const text = z.string().nullish().catch(undefined)
const count = z.number().catch(0)
const instant = z.union([z.string(), z.number()]).nullish().catch(undefined)

const tlsSchema = z.object({ insecure: z.boolean().nullish(), ca_bundle: z.string().nullish() })

const entrySchema = z.object({
  id: z.string().min(1),
  label: text,
  auth_type: z.enum(['api_key', 'oauth']).catch('api_key'),
  priority: count,
  source: z.string().catch('manual'),
  access_token: z.string().catch(''),
  refresh_token: text,
  base_url: text,
  inference_base_url: text,
  expires_at: instant,
  expires_at_ms: z.number().nullish().catch(undefined),
  agent_key: text,
  agent_key_expires_at: instant,
  agent_key_expires_in: z.number().nullish().catch(undefined),
  request_count: count,
  last_status: text,
  last_status_at: instant,
  last_error_code: z.number().nullish().catch(undefined),
  last_error_reason: text,
  last_error_message: text,
  last_error_reset_at: instant,
  client_id: text,
  portal_base_url: text,
  scope: text,
  token_type: text,
  tls: tlsSchema.nullish().catch(undefined),
  ended: z.object({ at: z.string(), reason: z.string(), token: z.string() }).nullish().catch(undefined),
})

/** One credential of a pool, as `auth.json` keeps it. `ended` is ours: the grant is over and which token it was. */
export type PoolEntry = z.infer<typeof entrySchema>

/** Reads one stored entry; undefined for one that cannot be a credential. */
export function toEntry(stored: JsonRecord): PoolEntry | undefined {
  const parsed = entrySchema.safeParse(stored)
  return parsed.success ? parsed.data : undefined
}

/** What a new entry is made of. */
export interface NewEntry {
  readonly id: string
  readonly label: string
  readonly auth_type: 'api_key' | 'oauth'
  readonly priority: number
  readonly source: string
  readonly access_token: string
  readonly [extra: string]: unknown
}

/** A new entry as `auth.json` keeps it: with the fields that are always there. */
export function newEntry(fields: NewEntry): JsonRecord {
  return { ...fields, ...clearedStatus, request_count: 0 }
}

/** What a credential that works, or was never tried, has for its status. */
export const clearedStatus: JsonRecord = {
  last_status: null,
  last_status_at: null,
  last_error_code: null,
  last_error_reason: null,
  last_error_message: null,
  last_error_reset_at: null,
}

/**
 * Where a credential stands. `expired`: its token is over, and is renewed when it is used next; `ended`: it is over for
 * good; `unusable`: it holds no secret.
 */
export type EntryState =
  | { readonly name: 'ok' | 'expired' | 'unusable' }
  | { readonly name: 'cooling'; readonly untilMs: number }
  | { readonly name: 'ended'; readonly reason: string }

/** A failure that lies further ahead was noted before a clock was set back: it lets nothing rest for as long as that. */
const skewMs = 60_000

export function stateOf(entry: PoolEntry, nowMs: number): EntryState {
  if (hasEnded(entry)) return { name: 'ended', reason: entry.ended?.reason ?? 'ended' }
  if (!isUsableSecret(entry.access_token)) return { name: 'unusable' }
  const untilMs = coolingUntilMs(entry)
  const isAhead = (instantMs(entry.last_status_at) ?? 0) > nowMs + skewMs
  if (untilMs !== undefined && untilMs > nowMs && !isAhead) return { name: 'cooling', untilMs }
  const expiry = expiryMs(entry)
  if (expiry === undefined || expiry > nowMs) return { name: 'ok' }
  // The key that was made from the token outlives it.
  if (entry.agent_key && (instantMs(entry.agent_key_expires_at) ?? 0) > nowMs) return { name: 'ok' }
  return entry.refresh_token ? { name: 'expired' } : { name: 'ended', reason: 'expired' }
}

/** Until when an entry rests after a failure; undefined when its last use went well. */
export function coolingUntilMs(entry: PoolEntry): number | undefined {
  if (entry.last_status !== 'exhausted') return undefined
  const reset = instantMs(entry.last_error_reset_at)
  if (reset !== undefined) return reset
  const since = instantMs(entry.last_status_at)
  return since === undefined ? undefined : since + cooldownMs
}

/** When the access token ends, ms; from the token itself where nothing else tells. Undefined: unknown, or never. */
export function expiryMs(entry: PoolEntry): number | undefined {
  if (entry.auth_type !== 'oauth') return undefined
  return entry.expires_at_ms ?? instantMs(entry.expires_at) ?? jwtExpiryMs(entry.access_token)
}

/** A grant stays ended for as long as the token is the one that ended: a new sign-in makes it live again. */
function hasEnded({ ended, refresh_token: refresh, access_token: access }: PoolEntry): boolean {
  return !!ended && tokenHash(refresh || access) === ended.token
}

const placeholders: ReadonlySet<string> = new Set(
  '* ** *** changeme your_api_key your-api-key placeholder example dummy null none'.split(' '),
)

/** Whether a text can be a secret at all, and is not what templates put in its place. */
export function isUsableSecret(secret: string | null | undefined): secret is string {
  const trimmed = secret?.trim() ?? ''
  return trimmed.length >= 4 && !placeholders.has(trimmed.toLowerCase())
}

/** Tells two tokens apart without keeping either. */
export function tokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex').slice(0, 32)
}

function jwtExpiryMs(token: string): number | undefined {
  const exp = jwtClaims(token)?.['exp']
  return typeof exp === 'number' ? exp * 1000 : undefined
}
