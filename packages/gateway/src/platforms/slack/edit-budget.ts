import { tooManyCalls } from './errors.ts'

/** Edits that may be made at once, and how many come to it in a minute: together below the 50 a minute that Slack allows. */
const burst = 8
const perMinute = 40

/** Keeps the edits of a workspace below the limit of their method, so that the service never has to refuse one. */
export interface EditBudget {
  /** Counts an edit. Throws `PlatformError` `rate-limited` with the time until one is allowed. */
  take(teamId: string): void
}

/** `now`: monotonic ms. */
export function createEditBudget(now: () => number = () => performance.now()): EditBudget {
  const teams = new Map<string, { left: number; at: number }>()
  return {
    take(teamId) {
      const at = now()
      const state = teams.get(teamId) ?? { left: burst, at }
      const left = Math.min(burst, state.left + ((at - state.at) * perMinute) / 60_000)
      teams.set(teamId, { left: left < 1 ? left : left - 1, at })
      if (left < 1) throw tooManyCalls('chat.update', Math.ceil(((1 - left) * 60_000) / perMinute))
    },
  }
}
