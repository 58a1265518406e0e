/** The one of `known` that `word` was most likely meant to be, or undefined where none is close. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const plain = word.toLowerCase()
  const starting = known.filter((name) => name.startsWith(plain))
  if (plain !== '' && starting.length === 1) return starting[0]
  const scored = known
    .map((name) => ({ name, edits: editDistance(plain, name.toLowerCase()) }))
    .sort((a, b) => a.edits - b.edits)
  const [best] = scored
  return best && best.edits <= Math.max(1, Math.floor(plain.length / 3)) ? best.name : undefined
}

/** Insertions, deletions, changes and swaps of neighbours between two words (optimal string alignment). */
export function editDistance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, index) => index)]
  const at = (i: number, j: number) => rows[i]?.[j] ?? 0
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    rows.push(row)
    for (let j = 1; j <= b.length; j++) {
      const change = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      row.push(Math.min(change, at(i - 1, j) + 1, (row[j - 1] ?? 0) + 1))
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (swapped) row[j] = Math.min(row[j] ?? 0, at(i - 2, j - 2) + 1)
    }
  }
  return at(a.length, b.length)
}
