import type { SkillListing } from './bundle.ts'

/** The listings that fit a query, best first; all of them for an empty one. */
export function matching(listings: readonly SkillListing[], query: string, limit: number): SkillListing[] {
  const words = query
    .toLowerCase()
    .split(/[\s_-]+/)
    .filter((word) => word !== '')
  if (words.length === 0) return listings.slice(0, limit)
  return listings
    .map((listing) => ({ listing, score: score(listing, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, limit)
    .map(({ listing }) => listing)
}

/** Every word must be somewhere; in the name it counts most. */
function score({ name, description, identifier }: SkillListing, words: readonly string[]): number {
  const plainName = name.toLowerCase()
  if (plainName === words.join('-')) return 100
  const text = `${identifier} ${description}`.toLowerCase()
  let sum = 0
  for (const word of words) {
    if (plainName.split(/[-_.]/).includes(word)) sum += 10
    else if (plainName.includes(word)) sum += 6
    else if (text.includes(word)) sum += 2
    else return 0
  }
  return sum / words.length
}
