type Detail = Readonly<Record<string, unknown>>

/** Fields whose pieces add up; of all others the last one that is there counts (a signature comes at the end). */
const growing = ['text', 'summary', 'data'] as const

/**
 * Joins the pieces of reasoning items as OpenRouter streams them, so that they can be sent back as one would have got
 * them without streaming (https://openrouter.ai/docs/use-cases/reasoning-tokens).
 */
export function joinReasoningDetails(pieces: readonly Detail[]): readonly Detail[] {
  const joined: Record<string, unknown>[] = []
  for (const piece of pieces) {
    const whole = continued(joined, piece)
    if (!whole) {
      joined.push({ ...piece })
      continue
    }
    for (const [field, value] of Object.entries(piece)) {
      if (value === null || value === undefined) continue
      const before = whole[field]
      const grows = growing.includes(field as (typeof growing)[number])
      whole[field] = grows && typeof before === 'string' && typeof value === 'string' ? before + value : value
    }
  }
  return joined
}

/** The item that a piece goes on with: the one of its type and index, else the last when it is of its type. */
function continued(joined: readonly Record<string, unknown>[], piece: Detail): Record<string, unknown> | undefined {
  const { type, index, id } = piece
  // Encrypted items come whole; two of them are two.
  if (type === 'reasoning.encrypted') return undefined
  const candidate =
    typeof index === 'number'
      ? joined.findLast((item) => item['index'] === index && item['type'] === type)
      : joined.at(-1)
  if (candidate?.['type'] !== type) return undefined
  if (typeof id === 'string' && typeof candidate?.['id'] === 'string' && candidate['id'] !== id) return undefined
  // A signature closes an item.
  return typeof index !== 'number' && typeof candidate?.['signature'] === 'string' ? undefined : candidate
}

/** The part of a piece that people can read. */
export function readableReasoning(piece: Detail): string {
  for (const field of ['text', 'summary'] as const) {
    const value = piece[field]
    if (typeof value === 'string') return value
  }
  return ''
}
