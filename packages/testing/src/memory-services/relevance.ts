/** How much a text has to do with a query, 0 to 1: the part of the query's words that the text has too. */
export function relevance(query: string, text: string): number {
  const wanted = wordsOf(query)
  if (wanted.size === 0) return 0
  return wanted.intersection(wordsOf(text)).size / wanted.size
}

/** What fits a query, best first, with how well. */
export function ranked<Item>(
  query: string,
  items: readonly Item[],
  textOf: (item: Item) => string,
): readonly { readonly item: Item; readonly score: number }[] {
  return items
    .map((item) => ({ item, score: relevance(query, textOf(item)) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
}

/** The sentences of a text that say something, which is what a stand-in takes for facts. */
export function factsIn(text: string): readonly string[] {
  return text
    .split(/(?<=[.!])\s+|\n+/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '' && !sentence.endsWith('?'))
}

const emptyWords = new Set([
  'the',
  'and',
  'for',
  'what',
  'who',
  'how',
  'with',
  'that',
  'this',
  'was',
  'are',
  'you',
  'is',
])

function wordsOf(text: string): Set<string> {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]{2,}/gu) ?? []
  return new Set(words.filter((word) => !emptyWords.has(word)))
}
