export interface DiscordRates {
  /** Calls of the bot in a second. */
  readonly perSecond: number
  /** Calls of one bucket in so many ms, by what the route is about. */
  readonly buckets: Readonly<Record<string, { readonly calls: number; readonly ms: number }>>
}

/** As bots meet them: https://discord.com/developers/docs/topics/rate-limits */
export const discordRates: DiscordRates = {
  perSecond: 50,
  buckets: {
    messages: { calls: 5, ms: 5_000 },
    edits: { calls: 5, ms: 5_000 },
    reactions: { calls: 1, ms: 250 },
    typing: { calls: 5, ms: 5_000 },
    other: { calls: 30, ms: 10_000 },
  },
}

export interface BucketState {
  readonly name: string
  readonly limit: number
  readonly remaining: number
  readonly resetAfterMs: number
  /** The call was refused. */
  readonly refused?: { readonly isGlobal: boolean; readonly retryAfterMs: number }
}

/** Counts the calls of a bot. */
export interface Limits {
  take(kind: string, major: string): BucketState
  /** Calls that were refused, by bucket. */
  readonly refusals: readonly string[]
}

export function createLimits(rates: DiscordRates): Limits {
  const refusals: string[] = []
  const account: number[] = []
  const buckets = new Map<string, { count: number; resetsAt: number }>()
  return {
    refusals,
    take(kind, major) {
      const now = performance.now()
      const rule = rates.buckets[kind] ?? { calls: 30, ms: 10_000 }
      const name = `${kind}:${major}`
      while ((account[0] ?? Infinity) <= now - 1_000) account.shift()
      const known = buckets.get(name)
      const bucket = known && known.resetsAt > now ? known : { count: 0, resetsAt: now + rule.ms }
      buckets.set(name, bucket)
      const resetAfterMs = bucket.resetsAt - now
      const state = { name: kind, limit: rule.calls, resetAfterMs }
      if (account.length >= rates.perSecond) {
        refusals.push('global')
        const retryAfterMs = (account[0] ?? now) + 1_000 - now
        return { ...state, remaining: rule.calls - bucket.count, refused: { isGlobal: true, retryAfterMs } }
      }
      if (bucket.count >= rule.calls) {
        refusals.push(name)
        return { ...state, remaining: 0, refused: { isGlobal: false, retryAfterMs: resetAfterMs } }
      }
      account.push(now)
      bucket.count++
      return { ...state, remaining: rule.calls - bucket.count }
    },
  }
}
