import { loadCatalogue } from '../catalogue.ts'
import type { SkillScope } from '../skill-scope.ts'
import { provenanceOf } from '../store/provenance.ts'
import { isDisabled, runsHere } from '../visibility.ts'

/** A skill of the home or of an external folder, for people. */
export interface ListedSkill {
  readonly name: string
  readonly category: string
  readonly description: string
  /** `builtin`: bundled; `hub`: installed from a source; `local`: anything else. */
  readonly source: 'hub' | 'builtin' | 'local'
  readonly origin: string
  readonly trust: string
  readonly identifier?: string
  readonly isModified: boolean
  readonly state: 'on' | 'off' | 'other-system'
  readonly path: string
}

/** All skills with where they come from and whether they are on. */
export async function listSkills(scope: SkillScope): Promise<ListedSkill[]> {
  const { skills } = await loadCatalogue(scope)
  return Promise.all(
    skills.map(async (entry) => {
      const { origin, trust, identifier, isModified } = await provenanceOf(scope.home, entry)
      const source = origin === 'hub' ? 'hub' : origin === 'bundled' ? 'builtin' : 'local'
      const state = !runsHere(entry.platforms) ? 'other-system' : isDisabled(entry, scope) ? 'off' : 'on'
      const { name, category, description, path } = entry
      return {
        name,
        category,
        description,
        source,
        origin,
        trust,
        ...(identifier !== undefined && { identifier }),
        isModified,
        state,
        path,
      }
    }),
  )
}
