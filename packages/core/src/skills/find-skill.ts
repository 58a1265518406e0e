import { similarNames } from '../tools/similar-names.ts'
import { loadCatalogue } from './catalogue.ts'
import type { SkillEntry } from './catalogue.ts'
import { SkillError } from './skill-error.ts'
import { slashName } from './skill-name.ts'
import type { SkillScope } from './skill-scope.ts'
import { isDisabled, runsHere } from './visibility.ts'

/** Names that an answer about an unknown skill shows. */
const maxShownNames = 20

/** The skills that are for this system and not switched off. */
export async function usableSkills(scope: SkillScope): Promise<readonly SkillEntry[]> {
  const { skills } = await loadCatalogue(scope)
  return skills.filter((entry) => runsHere(entry.platforms) && !isDisabled(entry, scope))
}

/**
 * The skill that a name means: its path under the root (`data/csv-wrangling`), its folder's name, the name in its
 * SKILL.md, or its name after a slash. Throws `SkillError` `not-found` or `unavailable`.
 */
export async function findSkill(scope: SkillScope, name: string): Promise<SkillEntry> {
  const { skills } = await loadCatalogue(scope)
  const wanted = name.trim().replace(/^\//, '')
  const entry =
    skills.find((one) => `${one.category}/${one.name}` === wanted) ??
    skills.find((one) => one.name === wanted) ??
    skills.find((one) => one.title === wanted) ??
    skills.find((one) => slashName(one.title) === slashName(wanted))
  if (!entry || slashName(wanted) === '')
    throw unknown(
      wanted,
      skills.filter((one) => !isDisabled(one, scope)),
    )
  if (!runsHere(entry.platforms)) {
    throw new SkillError(
      'unavailable',
      `Skill "${entry.name}" is for ${entry.platforms.join(', ')}, not for this system.`,
      {
        readiness_status: 'unsupported',
      },
    )
  }
  if (isDisabled(entry, scope)) {
    throw new SkillError(
      'unavailable',
      `Skill "${entry.name}" is switched off. Its user can switch it on: hermes skills config.`,
    )
  }
  return entry
}

function unknown(wanted: string, skills: readonly SkillEntry[]): SkillError {
  const names = skills.map(({ name }) => name)
  const similar = similarNames(wanted, names).slice(0, 3)
  const hint = similar.length > 0 ? ` Did you mean ${similar.join(', ')}?` : ''
  return new SkillError('not-found', `There is no skill "${wanted}".${hint}`, {
    available_skills: names.slice(0, maxShownNames),
    hint: 'skills_list shows all of them.',
  })
}
