/** The names most like a misspelt one, best first; none when nothing comes close. */
export function similarNames(wanted: string, names: Iterable<string>, most = 3): readonly string[] {
  const name = wanted.toLowerCase()
  const furthest = Math.max(1, Math.floor(name.length / 3))
  return [...new Set(names)]
    .map((candidate) => ({ candidate, distance: distance(name, candidate.toLowerCase()) }))
    .filter(({ candidate, distance: away }) => away <= furthest || (name.length > 2 && candidate.startsWith(name)))
    .sort((a, b) => a.distance - b.distance || a.candidate.localeCompare(b.candidate, 'en'))
    .slice(0, most)
    .map(({ candidate }) => candidate)
}

/** Least number of letters to add, drop, change or swap with their neighbour. */
function distance(a: string, b: string): number {
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const changed = at(row, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(before, j - 2) + 1 : Infinity
      next.push(Math.min(changed, swapped, at(row, j) + 1, at(next, j - 1) + 1))
    }
    before = row
    row = next
  }
  return at(row, b.length)
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity
}
