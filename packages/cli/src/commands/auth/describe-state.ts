import type { CredentialStatus } from '@hermes/core/credentials/credential-status.ts'
import type { EntryState } from '@hermes/core/credentials/entry.ts'

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

/** `42s`, `5m`, `3h 20m`, `2d 4h`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000))
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3600) % 24,
    Math.floor(seconds / 60) % 60,
  ]
  if (days > 0) return hours > 0 ? `${days}d ${hours}h` : `${days}d`
  if (hours > 0) return minutes > 0 ? `${hours}h ${minutes}m` : `${hours}h`
  return minutes > 0 ? `${minutes}m` : `${seconds}s`
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
