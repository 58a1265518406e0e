import type { SkillBundle } from './bundle.ts'
import { HubError } from './hub-error.ts'
import type { Hub } from './hub.ts'
import { searchSkills } from './search.ts'

/**
 * Fetches a skill with all its files: by its identifier, or by a bare name that only one skill of all sources has.
 * Throws `HubError`.
 */
export async function fetchSkill(hub: Hub, identifier: string, signal: AbortSignal): Promise<SkillBundle> {
  const wanted = identifier.trim()
  if (wanted === '') throw new HubError('invalid', 'Name a skill.')
  const sources = await hub.open()
  const source = sources.find((one) => one.accepts(wanted))
  if (source) return source.fetch(wanted, signal)
  const found = await searchSkills(hub, { query: wanted, source: 'all', limit: 50 }, signal)
  const same = found.filter(({ name }) => name === wanted.toLowerCase())
  const [only] = same
  if (only && (same.length === 1 || only.trust !== same[1]?.trust)) return fetchSkill(hub, only.identifier, signal)
  if (same.length > 1) {
    throw new HubError(
      'ambiguous',
      `Several skills are called "${wanted}": ${same
        .slice(0, 8)
        .map((one) => one.identifier)
        .join(', ')}.`,
    )
  }
  const near = found.slice(0, 5).map((one) => one.identifier)
  throw new HubError(
    'not-found',
    `No source has a skill "${wanted}".${near.length > 0 ? ` Near it: ${near.join(', ')}.` : ''}`,
  )
}
