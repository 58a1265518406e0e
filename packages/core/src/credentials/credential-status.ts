import { expiryMs, type EntryState, type PoolEntry } from './entry.ts'

/** One credential as people may see it: without its secrets. */
export interface CredentialStatus {
  readonly provider: string
  /** From 1, in the order of the pool. */
  readonly index: number
  readonly id: string
  readonly label: string
  readonly type: 'api_key' | 'oauth'
  readonly source: string
  readonly state: EntryState
  /** When its token ends, ms since the epoch; undefined when it does not, or nobody knows. */
  readonly expiresAtMs: number | undefined
  readonly requestCount: number
  readonly baseUrl: string | undefined
  /** The provider's last refusal, when that is what it rests for. */
  readonly lastError: string | undefined
  /** Whether it is the one that the next request gets. */
  readonly isNext: boolean
}

type Surroundings = Pick<CredentialStatus, 'provider' | 'index' | 'state' | 'requestCount' | 'baseUrl' | 'isNext'>

export function statusOf(entry: PoolEntry, surroundings: Surroundings): CredentialStatus {
  const refusal = entry.last_error_message || entry.last_error_reason
  return {
    ...surroundings,
    id: entry.id,
    label: entry.label || entry.id,
    type: entry.auth_type,
    source: entry.source,
    expiresAtMs: expiryMs(entry),
    lastError: surroundings.state.name === 'cooling' ? refusal || undefined : undefined,
  }
}
