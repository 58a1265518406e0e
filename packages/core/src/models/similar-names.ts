import { editDistance } from '../text/nearest.ts'

/** The names most like a misspelt one, best first; none when nothing comes close. */
export function similarNames(wanted: string, names: Iterable<string>, most = 3): readonly string[] {
  const name = wanted.toLowerCase()
  const furthest = Math.max(1, Math.floor(name.length / 3))
  return [...new Set(names)]
    .map((candidate) => ({ candidate, edits: editDistance(name, candidate.toLowerCase()) }))
    .filter(({ candidate, edits }) => edits <= furthest || (name.length > 2 && candidate.startsWith(name)))
    .sort((a, b) => a.edits - b.edits || a.candidate.localeCompare(b.candidate, 'en'))
    .slice(0, most)
    .map(({ candidate }) => candidate)
}
