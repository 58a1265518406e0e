import { opendir } from 'node:fs/promises'
import { parse } from 'node:path'

/** Names looked at in one folder, and names given. */
const maxEntries = 5_000
const maxNames = 5

/** The names most like `wanted`, best first, at most five; equal scores in the order given. */
export function similarNames(wanted: string, names: readonly string[]): string[] {
  return names
    .map((name) => ({ name, score: score(wanted, name) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, maxNames)
    .map(({ name }) => name)
}

/** The same over what is in a folder; nothing where it cannot be listed. */
export async function similarIn(folder: string, wanted: string): Promise<string[]> {
  const names: string[] = []
  try {
    for await (const entry of await opendir(folder)) {
      names.push(entry.name)
      if (names.length >= maxEntries) break
    }
  } catch (error) {
    if (error instanceof Error && 'code' in error) return []
    throw error
  }
  return similarNames(wanted, names.sort())
}

/** Upstream's scores: how likely it is that one name was meant by the other. */
function score(wanted: string, name: string): number {
  const [a, b] = [wanted.toLowerCase(), name.toLowerCase()]
  if (a === '' || b === '') return 0
  if (a === b) return 100
  const [first, second] = [parse(a), parse(b)]
  if (first.name === second.name) return 90
  if (b.startsWith(a) || a.startsWith(b)) return 70
  if (b.includes(a)) return 60
  if (a.includes(b) && b.length > 2) return 40
  return first.ext !== '' && first.ext === second.ext && sharesLetters(first.name, second.name) ? 30 : 0
}

/** Whether two names have most of their letters in common. */
function sharesLetters(a: string, b: string): boolean {
  const letters = new Set(a)
  const shared = [...new Set(b)].filter((letter) => letters.has(letter)).length
  return shared >= Math.max(letters.size, new Set(b).size) * 0.4
}
