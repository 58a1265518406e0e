import type { SkillListing } from './bundle.ts'
import { HubError } from './hub-error.ts'
import type { Hub } from './hub.ts'

/** The names that `source` may have; `all` asks every one. */
export const sourceNames = [
  'all',
  'official',
  'hermes-index',
  'skills-sh',
  'well-known',
  'github',
  'clawhub',
  'claude-marketplace',
  'lobehub',
] as const

export interface SearchQuery {
  readonly query: string
  /** One of `sourceNames`. */
  readonly source: string
  readonly limit: number
}

/** How long one source may take before the others' results are shown without it. */
const sourceTimeoutMs = 30_000

const trustOrder = ['builtin', 'trusted', 'community', 'agent-created']

/**
 * Looks for skills in one source or in all of them at once; `''` lists what they have. A source that fails is told in
 * `hub.notices`; only when none answered is its error thrown.
 */
export async function searchSkills(
  hub: Hub,
  { query, source, limit }: SearchQuery,
  signal: AbortSignal,
): Promise<SkillListing[]> {
  const opened = await hub.open(source === 'all' ? undefined : [source])
  const failures: { readonly source: string; readonly error: unknown }[] = []
  const lists = await Promise.all(
    opened.map(async (one) => {
      try {
        return (await one.list?.(query, limit, AbortSignal.any([signal, AbortSignal.timeout(sourceTimeoutMs)]))) ?? []
      } catch (error) {
        signal.throwIfAborted()
        if (!(error instanceof HubError) && !(error instanceof DOMException)) throw error
        failures.push({ source: one.name, error })
        return []
      }
    }),
  )
  if (failures.length > 0 && lists.every((found) => found.length === 0)) {
    const first = failures[0]?.error
    const isOffline = failures.every(({ error }) => isUnreachable(error))
    if (first instanceof HubError && !(isOffline && failures.length > 1)) throw first
    throw new HubError('offline', `None of the sources of skills could be reached: ${failures.map(nameOf).join(', ')}.`)
  }
  const unreachable = failures.filter(({ error }) => isUnreachable(error))
  if (unreachable.length > 0) hub.notices.push(`Not reached: ${unreachable.map(nameOf).join(', ')}.`)
  for (const { source: name, error } of failures) {
    if (!isUnreachable(error)) hub.notices.push(`${name}: ${(error as HubError).message}`)
  }
  return ranked(lists, limit)
}

/** The source could not be reached, or not in time. */
function isUnreachable(error: unknown): boolean {
  return !(error instanceof HubError) || error.code === 'offline'
}

function nameOf({ source }: { readonly source: string }): string {
  return source
}

/** The best of every source, more trusted first, each skill once. */
function ranked(lists: readonly (readonly SkillListing[])[], limit: number): SkillListing[] {
  const seen = new Set<string>()
  const merged: { listing: SkillListing; rank: number }[] = []
  for (const list of lists) {
    for (const [rank, listing] of list.entries()) {
      // A directory and the repository it points to list the same skill.
      const key = listing.identifier.replace(/^(?:skills-sh|claude-marketplace)\//, '').toLowerCase()
      if (seen.has(key)) continue
      seen.add(key)
      merged.push({ listing, rank })
    }
  }
  return merged
    .sort((a, b) => trustOrder.indexOf(a.listing.trust) - trustOrder.indexOf(b.listing.trust) || a.rank - b.rank)
    .slice(0, limit)
    .map(({ listing }) => listing)
}

/** One page of all that there is. */
export interface BrowsePage {
  readonly skills: readonly SkillListing[]
  readonly page: number
  readonly pages: number
  readonly total: number
}

/** Most skills that can be browsed. */
const maxBrowsed = 1_000

export async function browseSkills(
  hub: Hub,
  { source, page, size }: { readonly source: string; readonly page: number; readonly size: number },
  signal: AbortSignal,
): Promise<BrowsePage> {
  const all = await searchSkills(hub, { query: '', source, limit: maxBrowsed }, signal)
  const pages = Math.max(1, Math.ceil(all.length / size))
  const shown = Math.min(page, pages)
  return { skills: all.slice((shown - 1) * size, shown * size), page: shown, pages, total: all.length }
}
