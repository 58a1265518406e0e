export interface FloodRates {
  /** Messages of the bot in a second. */
  readonly perSecond: number
  /** Messages to one chat in a second; a short burst may be longer. */
  readonly perChatSecond: number
  readonly chatBurst: number
  /** Messages to one group in a minute. */
  readonly perGroupMinute: number
}

/** What the service's FAQ says of its limits: https://core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this */
export const telegramRates: FloodRates = { perSecond: 30, perChatSecond: 1, chatBurst: 3, perGroupMinute: 20 }

/** Longest penalty, seconds. */
const maxPenalty = 600

/** Counts what a bot sends. Who goes on during a penalty gets a longer one. */
export interface FloodLimits {
  /** Seconds to wait, or undefined where a message may be sent, which then counts. */
  take(chatId: number): number | undefined
  /** Every penalty that was given, seconds. */
  readonly penalties: readonly number[]
}

export function createFloodLimits(rates: FloodRates, firstPenalty: number): FloodLimits {
  const penalties: number[] = []
  const account: number[] = []
  const chats = new Map<number, { readonly calls: number[]; penalty: number; until: number }>()

  return {
    penalties,
    take(chatId) {
      const now = performance.now()
      const chat = chats.get(chatId) ?? { calls: [], penalty: 0, until: 0 }
      chats.set(chatId, chat)
      const refuse = (seconds: number) => {
        chat.penalty = Math.min(maxPenalty, seconds)
        chat.until = now + chat.penalty * 1000
        penalties.push(chat.penalty)
        return chat.penalty
      }
      if (now < chat.until) return refuse(chat.penalty * 2)
      const since = (calls: readonly number[], ms: number) => calls.filter((at) => at > now - ms).length
      const burstMs = (rates.chatBurst / rates.perChatSecond) * 1000
      const isOver =
        since(account, 1_000) >= rates.perSecond ||
        since(chat.calls, burstMs) >= rates.chatBurst ||
        (chatId < 0 && since(chat.calls, 60_000) >= rates.perGroupMinute)
      if (isOver) return refuse(firstPenalty)
      account.push(now)
      chat.calls.push(now)
      return undefined
    },
  }
}
