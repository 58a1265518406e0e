import { editDistance } from '../text/nearest.ts'

/**
 * The tool that a model meant: the exact name, the name in another spelling (`Read-File`), or the one close enough to be
 * no other. Undefined where that is a guess.
 */
export function meantTool(wanted: string, names: readonly string[]): string | undefined {
  if (names.includes(wanted)) return wanted
  const plain = wanted.toLowerCase().replaceAll(/[\s-]+/g, '_')
  if (names.includes(plain)) return plain
  const scored = names.map((name) => ({ name, score: similarity(plain, name) })).sort((a, b) => b.score - a.score)
  const [best, second] = scored
  if (!best || best.score < 0.75) return undefined
  return second && best.score - second.score < 0.05 ? undefined : best.name
}

/** 1 for equal texts, 0 for texts with nothing in common: edits over the longer length. */
export function similarity(a: string, b: string): number {
  if (a === b) return 1
  const longest = Math.max(a.length, b.length)
  return longest === 0 ? 1 : 1 - editDistance(a, b) / longest
}
