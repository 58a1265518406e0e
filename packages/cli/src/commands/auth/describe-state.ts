import type { CredentialStatus } from '@hermes/core/credentials/credential-status.ts'
import type { EntryState } from '@hermes/core/credentials/entry.ts'
import { duration } from '@hermes/core/text/duration.ts'

/** How a credential stands, in a few words. */
export function describeState({ state, lastError }: CredentialStatus, nowMs: number): string {
  switch (state.name) {
    case 'ok':
      return 'ok'
    case 'expired':
      return 'expired; renewed when it is used'
    case 'unusable':
      return 'holds no key'
    case 'ended':
      return `over (${state.reason.replaceAll('_', ' ')}); sign in again`
    case 'cooling':
      return `resting for ${duration(state.untilMs - nowMs)}${lastError ? `: ${lastError}` : ''}`
    default:
      return state satisfies never
  }
}

/** From the best to the worst. */
const order: readonly EntryState['name'][] = ['ok', 'expired', 'cooling', 'ended', 'unusable']

/** The state of a provider: that of its best credential. */
export function bestState(statuses: readonly CredentialStatus[]): EntryState['name'] | 'none' {
  return order.find((name) => statuses.some(({ state }) => state.name === name)) ?? 'none'
}

/** One credential for programs: no secret in it. Times are ISO. */
export function statusJson(status: CredentialStatus): Readonly<Record<string, unknown>> {
  const { state, expiresAtMs } = status
  const iso = (ms: number | undefined): string | null => (ms === undefined ? null : new Date(ms).toISOString())
  return {
    index: status.index,
    id: status.id,
    label: status.label,
    type: status.type,
    source: status.source,
    state: state.name,
    resting_until: iso(state.name === 'cooling' ? state.untilMs : undefined),
    ended_because: state.name === 'ended' ? state.reason : null,
    expires_at: iso(expiresAtMs),
    requests: status.requestCount,
    base_url: status.baseUrl ?? null,
    last_error: status.lastError ?? null,
    next: status.isNext,
  }
}
