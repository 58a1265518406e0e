/** Calls a minute of each tier, and what methods are in: https://docs.slack.dev/apis/web-api/rate-limits */
const tiers = { 1: 1, 2: 20, 3: 50, 4: 100 } as const

const methodTiers: Readonly<Record<string, keyof typeof tiers>> = {
  'chat.update': 3,
  'chat.delete': 3,
  'chat.postEphemeral': 4,
  'reactions.add': 3,
  'reactions.remove': 2,
  'users.info': 4,
  'users.conversations': 3,
  'conversations.info': 3,
  'conversations.replies': 3,
  'conversations.history': 3,
  'files.info': 4,
  'files.getUploadURLExternal': 4,
  'files.completeUploadExternal': 4,
}

/** Messages of one channel in a second; a short burst may be longer. */
const channelBurst = 3

export interface RateTiers {
  /** Seconds to wait, or undefined where the call is allowed, which then counts. */
  take(token: string, method: string, channel: string | undefined): number | undefined
  /** Calls that were refused. */
  readonly refused: readonly { readonly method: string; readonly isDuringPenalty: boolean }[]
}

/** Counts calls. `penalty`: seconds that a refusal lasts. */
export function createRateTiers(penalty: number): RateTiers {
  const refused: { method: string; isDuringPenalty: boolean }[] = []
  const known = new Map<string, { readonly calls: number[]; until: number }>()

  return {
    refused,
    take(token, method, channel) {
      const isPost = method === 'chat.postMessage'
      const tier = methodTiers[method]
      if (!isPost && tier === undefined) return undefined
      const [most, lengthMs] = isPost ? [channelBurst, channelBurst * 1_000] : [tiers[tier ?? 4], 60_000]
      const key = JSON.stringify([token, method, isPost ? channel : ''])
      const state = known.get(key) ?? { calls: [], until: 0 }
      known.set(key, state)
      const now = performance.now()
      const isDuringPenalty = now < state.until
      if (isDuringPenalty || state.calls.filter((at) => at > now - lengthMs).length >= most) {
        refused.push({ method, isDuringPenalty })
        if (!isDuringPenalty) state.until = now + penalty * 1_000
        return penalty
      }
      state.calls.push(now)
      return undefined
    },
  }
}
