/** What ranking knows of a message that matches. */
export interface Ranked {
  /** How often each of the query's terms occurs. */
  readonly counts: readonly number[]
  /** Characters. */
  readonly length: number
  /** Ms since the epoch. */
  readonly timestamp: number
}

/** Okapi BM25's usual constants: how soon repetitions count for less, and how much length matters. */
const saturation = 1.2
const lengthWeight = 0.75

/** How much more a message of now counts than an old one, and how fast that fades. */
const recencyWeight = 0.3
const recencyHalfLifeMs = 14 * 24 * 3600 * 1000

/**
 * Orders messages best first: BM25, with the messages themselves as the collection, times a little more for the newer.
 * Equals stay in their order.
 */
export function rank<T extends Ranked>(messages: readonly T[]): (T & { readonly score: number })[] {
  if (messages.length === 0) return []
  const meanLength = mean(messages.map(({ length }) => length)) || 1
  const newest = messages.reduce((latest, { timestamp }) => Math.max(latest, timestamp), -Infinity)
  const weights = messages[0]!.counts.map((_, term) => {
    const having = messages.filter(({ counts }) => counts[term]! > 0).length
    return Math.log(1 + (messages.length - having + 0.5) / (having + 0.5))
  })
  const score = ({ counts, length, timestamp }: T) => {
    const damping = saturation * (1 - lengthWeight + (lengthWeight * length) / meanLength)
    const relevance = counts.reduce(
      (sum, count, term) => sum + (weights[term]! * count * (saturation + 1)) / (count + damping),
      0,
    )
    return relevance * (1 + recencyWeight * 2 ** ((timestamp - newest) / recencyHalfLifeMs))
  }
  return messages.map((message) => ({ ...message, score: score(message) })).sort((a, b) => b.score - a.score)
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
