/** Words that mark what is meant to be kept. */
const marks =
  /\b(remember|note|always|never|must|prefer|don't|do not|only|important|password of|name is|is called|deadline|decided|because)\b|[:=→]|merke|wichtig|immer|niemals|记住|重要|必须/iu

/** What is rarely said twice: ids, numbers of some length, paths, addresses, quotes, versions. */
const particulars =
  /[\w.-]*\d[\w.-]*[a-z_-][\w.-]*|\d{3,}|\d+\.\d+|[~.]?\/[\w./-]{3,}|\S+@\S+|https?:\S+|"[^"]+"|`[^`]+`/giu

/** More of them add nothing: a list of numbers is not worth more than all else. */
const mostParticulars = 5

/** What a line about the topic counts more. */
const focusFactor = 6

/**
 * How much each line says that the others do not: rare words count, particulars and words that ask for attention count
 * more, and so do lines about `focus`.
 */
export function scoreLines(lines: readonly string[], focus: string | undefined): number[] {
  const words = lines.map((line) => new Set(wordsIn(line)))
  const counts = new Map<string, number>()
  for (const word of words.flatMap((set) => [...set])) counts.set(word, (counts.get(word) ?? 0) + 1)
  // Words that most lines have ("the") tell no topic.
  const isTelling = (word: string) => (counts.get(word) ?? 0) <= lines.length / 2
  const topic = new Set(wordsIn(focus ?? '').filter(isTelling))
  return lines.map((line, index) => {
    const own = [...(words[index] ?? [])]
    const rarity = own.reduce((sum, word) => sum + Math.log((lines.length + 1) / (counts.get(word) ?? 1)), 0)
    const details = Math.min(mostParticulars, line.match(particulars)?.length ?? 0)
    const isOnTopic = own.some((word) => topic.has(word))
    return (rarity + 3 * details + (marks.test(line) ? 3 : 0) + 0.1) * (isOnTopic ? focusFactor : 1)
  })
}

function wordsIn(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}_]+(?:[./@:-][\p{L}\p{N}_]+)*/gu) ?? []
}
