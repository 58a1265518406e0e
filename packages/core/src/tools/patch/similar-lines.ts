import { collapsed } from './line-forms.ts'

/** How alike two lines must be to be taken for one when the rest of the block is the same. */
const minSimilarity = 0.75

/** Comparisons of lines made for one block before it is given up. */
const maxComparisons = 200_000

/**
 * The one place where a block of lines stands with small differences: as many lines, the first and the last equal, the
 * others at least nearly. Undefined where there is none or more than one.
 */
export function findSimilarBlock(lines: readonly string[], wanted: readonly string[]): number | undefined {
  const plain = wanted.map((line) => collapsed(line.trim()))
  const [first, last] = [plain[0], plain.at(-1)]
  if (plain.length < 3 || !first || !last) return undefined
  const at = (line: number) => collapsed((lines[line] ?? '').trim())
  const found: number[] = []
  let comparisons = 0
  for (let start = 0; start + plain.length <= lines.length; start++) {
    if (at(start) !== first || at(start + plain.length - 1) !== last) continue
    comparisons += plain.length
    if (comparisons > maxComparisons) return undefined
    if (plain.every((line, index) => similarity(line, at(start + index)) >= minSimilarity)) found.push(start)
  }
  return found.length === 1 ? found[0] : undefined
}

/** The line most like `wanted`, from 0, to show a model what it may have meant. */
export function mostSimilarLine(lines: readonly string[], wanted: string): number | undefined {
  const plain = collapsed(wanted.trim())
  if (plain.length < 4) return undefined
  let best: { line: number; score: number } | undefined
  for (const [line, text] of lines.slice(0, maxComparisons / 10).entries()) {
    const score = similarity(plain, collapsed(text.trim()))
    if (score > (best?.score ?? 0.6)) best = { line, score }
  }
  return best?.line
}

/** 1 for equal texts, 0 for texts without a pair of letters in common (Dice's coefficient over pairs). */
export function similarity(a: string, b: string): number {
  if (a === b) return 1
  if (a.length < 2 || b.length < 2) return 0
  if (Math.min(a.length, b.length) * 4 < Math.max(a.length, b.length)) return 0
  const pairs = new Map<string, number>()
  for (let at = 0; at < a.length - 1; at++) {
    const pair = a.slice(at, at + 2)
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1)
  }
  let shared = 0
  for (let at = 0; at < b.length - 1; at++) {
    const pair = b.slice(at, at + 2)
    const left = pairs.get(pair) ?? 0
    if (left === 0) continue
    pairs.set(pair, left - 1)
    shared += 1
  }
  return (2 * shared) / (a.length + b.length - 2)
}
