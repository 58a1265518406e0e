/** Text in the pieces that it is sent in: as given, or word by word. */
export function textPieces(text: string | readonly string[] | undefined): readonly string[] {
  if (text === undefined) return []
  if (typeof text !== 'string') return text
  return text.match(/\s*\S+\s*$|\s*\S+|\s+/g) ?? []
}

/** Argument text in the pieces that it is sent in: as given, or in three parts that fall anywhere. */
export function argumentPieces(
  given: string | readonly string[] | Readonly<Record<string, unknown>> | undefined,
): readonly string[] {
  if (Array.isArray(given)) return given as readonly string[]
  const text = typeof given === 'string' ? given : JSON.stringify(given ?? {})
  const third = Math.ceil(text.length / 3)
  return [text.slice(0, third), text.slice(third, 2 * third), text.slice(2 * third)].filter((piece) => piece !== '')
}

/** Lists merged by taking the first of each, then the second of each, and so on. */
export function interleave<Item>(lists: readonly (readonly Item[])[]): readonly Item[] {
  const merged: Item[] = []
  const longest = Math.max(0, ...lists.map((list) => list.length))
  for (let i = 0; i < longest; i++) {
    for (const list of lists) {
      const item = list[i]
      if (item !== undefined) merged.push(item)
    }
  }
  return merged
}

/** Bytes cut into pieces of one size. */
export function cut(bytes: Buffer, size: number): readonly Buffer[] {
  const pieces: Buffer[] = []
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size))
  return pieces
}
