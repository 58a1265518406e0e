import { wallTimes } from '@hermes/core/agent/clock.ts'
import type { Clock } from '@hermes/core/agent/clock.ts'
import type { Config } from '@hermes/core/config/schema.ts'
import type { ChatType } from '../messages/inbound-message.ts'

/** When a chat begins a new session by itself. */
export interface ResetPolicy {
  readonly mode: 'both' | 'idle' | 'daily' | 'none'
  /** Hour of the profile's day at which `daily` begins a new one. */
  readonly atHour: number
  readonly idleMinutes: number
}

export type ResetReason = 'idle' | 'daily'

/** Platforms whose people begin and end conversations themselves: none begins anew by itself. */
const keptByPeople: ReadonlySet<string> = new Set(['pheby'])

/** The policy of a chat: its platform's goes before that of its kind, which goes before the general one. */
export function resetPolicyOf(config: Config, platform: string, chatType: ChatType): ResetPolicy {
  const { session_reset: general, reset_by_platform: byPlatform, reset_by_type: byType } = config
  const mode = keptByPeople.has(platform) ? 'none' : general.mode
  const base: ResetPolicy = { mode, atHour: general.at_hour, idleMinutes: general.idle_minutes }
  const ofType = keptByPeople.has(platform) ? base : withOverride(base, byType[chatType])
  return withOverride(ofType, byPlatform[platform])
}

/** Why a session that was last used at `updatedAt` (ms) is over; undefined while it goes on. */
export function resetReason(policy: ResetPolicy, updatedAt: number, clock: Clock): ResetReason | undefined {
  const isIdle = policy.mode === 'idle' || policy.mode === 'both'
  if (isIdle && clock.now() - updatedAt > policy.idleMinutes * 60_000) return 'idle'
  const isDaily = policy.mode === 'daily' || policy.mode === 'both'
  if (!isDaily) return undefined
  const dayOf = days(policy.atHour, clock)
  return dayOf(updatedAt) < dayOf(clock.now()) ? 'daily' : undefined
}

/** The day that a moment belongs to, as days begin at an hour of their own. Comparable. */
function days(atHour: number, clock: Clock): (ms: number) => number {
  const shown = wallTimes(clock)
  return (ms) => {
    const { year, month, day, hour } = shown(ms)
    return Date.UTC(year, month - 1, hour < atHour ? day - 1 : day)
  }
}

function withOverride(policy: ResetPolicy, override: unknown): ResetPolicy {
  if (typeof override !== 'object' || override === null) return policy
  const { mode, at_hour: hour, idle_minutes: minutes } = override as Readonly<Record<string, unknown>>
  return {
    mode: mode === 'both' || mode === 'idle' || mode === 'daily' || mode === 'none' ? mode : policy.mode,
    atHour: typeof hour === 'number' && Number.isInteger(hour) && hour >= 0 && hour < 24 ? hour : policy.atHour,
    idleMinutes: typeof minutes === 'number' && minutes > 0 ? minutes : policy.idleMinutes,
  }
}
