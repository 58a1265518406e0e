import type { TranscriptMessage } from '../../models/transcript.ts'
import type { ContextMeter } from '../context-meter.ts'
import { shortenCalls, shortenText } from './shorten.ts'

/** Least tokens that are left of a result that the model has read, and of one that it has yet to read. */
const [leastOfRead, leastOfUnread] = [60, 250]

/** Longest arguments of a call where room is scarce. */
const scarceArgumentChars = 500

/** Lengths are reckoned from tokens, so the aim is missed a little at first. */
const rounds = 3

export interface FitOptions {
  readonly maxTokens: number
  /** Index of the first message that the model has not read. */
  readonly unreadFrom: number
  readonly meter: ContextMeter
}

/**
 * Shortens the longest tool results until the messages fit, if they can: first those that the model has read, then the
 * arguments of calls, then results that it has yet to read. What people and the model wrote stays.
 */
export function fitMessages(messages: readonly TranscriptMessage[], options: FitOptions): TranscriptMessage[] {
  const { maxTokens, unreadFrom, meter } = options
  const isRead = (_: TranscriptMessage, index: number) => index < unreadFrom
  let fitted = [...messages]
  const fits = () => meter.messages(fitted) <= maxTokens
  if (fits()) return fitted
  fitted = shortenResults(fitted, isRead, leastOfRead, options)
  if (fits()) return fitted
  fitted = fitted.map((message) => shortenCalls(message, scarceArgumentChars))
  if (fits()) return fitted
  return shortenResults(fitted, () => true, leastOfUnread, options)
}

function shortenResults(
  messages: readonly TranscriptMessage[],
  mayShorten: (message: TranscriptMessage, index: number) => boolean,
  leastTokens: number,
  { maxTokens, meter }: FitOptions,
): TranscriptMessage[] {
  let shortened = [...messages]
  for (let round = 0; round < rounds; round++) {
    const excess = meter.messages(shortened) - maxTokens
    if (excess <= 0) break
    const level = levelFor(
      excess,
      shortened
        .filter((message, index) => message.role === 'tool' && mayShorten(message, index))
        .map((message) => meter.message(message)),
      leastTokens,
    )
    shortened = shortened.map((message, index) => {
      if (message.role !== 'tool' || !mayShorten(message, index)) return message
      const tokens = meter.message(message)
      if (tokens <= level) return message
      const chars = Math.max(0, Math.floor((message.content.length * level) / tokens) - 60)
      return { ...message, content: shortenText(message.content, chars) }
    })
  }
  return shortened
}

/** The size down to which all larger ones have to be cut so that `excess` goes; at least `least`. */
function levelFor(excess: number, sizes: readonly number[], least: number): number {
  let [low, high] = [least, Math.max(least, ...sizes)]
  while (high - low > 1) {
    const middle = (low + high) / 2
    const saved = sizes.reduce((sum, size) => sum + Math.max(0, size - middle), 0)
    if (saved >= excess) low = middle
    else high = middle
  }
  return Math.floor(low)
}
