import { loadEnvironment } from '../config/environment.ts'
import { findSkill } from './find-skill.ts'
import { invocation } from './invocation.ts'
import { linkedFiles } from './linked-files.ts'
import { missingNeeds } from './readiness.ts'
import { readSkill } from './read-skill.ts'
import type { SkillDocument } from './read-skill.ts'
import { skillSettings } from './settings.ts'
import { SkillError } from './skill-error.ts'
import type { SkillScope } from './skill-scope.ts'
import { provenanceOf } from './store/provenance.ts'

/** A skill made part of a conversation. */
export interface SkillMessage {
  /** For the model. */
  readonly text: string
  readonly skill: string
  /** For the person: what they should know of the skill before it acts. */
  readonly warnings: readonly string[]
}

/**
 * The user's message that `/<skill> <instruction>` stands for: the whole SKILL.md and the instruction. Its person asked
 * for it by name, so text that looks like an injection is told to them, not withheld. Throws `SkillError`.
 */
export async function skillMessage(scope: SkillScope, name: string, instruction = ''): Promise<SkillMessage> {
  const document = await readSkill(await findSkill(scope, name))
  const task = instruction.trim()
  const text = invocation(document.entry.name, await block(document, scope), task)
  return { text, skill: document.entry.name, warnings: await warnings(document, scope) }
}

/** Several skills loaded at the start of a session. */
export interface PreloadedSkills {
  /** For the system prompt or the first message; empty when none was loaded. */
  readonly text: string
  readonly loaded: readonly string[]
  /** Names that mean no skill that can be used. */
  readonly missing: readonly string[]
  readonly warnings: readonly string[]
}

/** Loads the skills that `--skills`, a job or a hook names. Unknown ones are told, not thrown. */
export async function preloadSkills(scope: SkillScope, names: readonly string[]): Promise<PreloadedSkills> {
  const loaded = new Map<string, string>()
  const missing: string[] = []
  const told: string[] = []
  for (const name of names) {
    try {
      const document = await readSkill(await findSkill(scope, name))
      if (loaded.has(document.entry.name)) continue
      loaded.set(document.entry.name, await block(document, scope))
      told.push(...(await warnings(document, scope)))
    } catch (error) {
      if (!(error instanceof SkillError)) throw error
      missing.push(name)
    }
  }
  const texts = [...loaded].map(([name, text]) => `[The user loaded the skill "${name}" for this session.]\n\n${text}`)
  return { text: texts.join('\n\n'), loaded: [...loaded.keys()], missing, warnings: told }
}

/** A SKILL.md with what goes with it: files, settings, where they lie. */
async function block({ entry, text, metadata }: SkillDocument, scope: SkillScope): Promise<string> {
  const links = await linkedFiles(entry.folder)
  const settings = Object.entries(skillSettings(metadata, scope))
  const files = Object.values(links ?? {}).flatMap((paths) => paths ?? [])
  return [
    `<skill name="${entry.name}">`,
    text.trim().replaceAll(/<(\/?)skill\b/gi, '&lt;$1skill'),
    '</skill>',
    ...(files.length > 0
      ? [
          `[Its files, in ${entry.folder}, for skill_view(name, file_path) or the terminal: ${files.slice(0, 50).join(', ')}]`,
        ]
      : []),
    ...(settings.length > 0
      ? [`[Its settings: ${settings.map(([key, value]) => `${key} = ${JSON.stringify(value)}`).join(', ')}]`]
      : []),
  ].join('\n')
}

async function warnings({ entry, metadata, problems }: SkillDocument, scope: SkillScope): Promise<string[]> {
  const { environment } = loadEnvironment(scope.home, scope.environment)
  const [{ origin, trust, isModified }, needs] = await Promise.all([
    provenanceOf(scope.home, entry),
    missingNeeds(metadata, { home: scope.home, environment }),
  ])
  const found: string[] = []
  if (problems.length > 0) {
    const whose = isModified ? `${origin}, changed since` : origin
    found.push(
      `Skill "${entry.name}" (${whose}, ${trust}) holds text that tries to steer the agent: ${problems.join(', ')}. Look at ${entry.path}.`,
    )
  }
  if (needs.variables.length > 0)
    found.push(`Skill "${entry.name}" needs ${needs.variables.map(({ name }) => name).join(', ')}, not set.`)
  if (needs.commands.length > 0) found.push(`Skill "${entry.name}" needs ${needs.commands.join(', ')}, not installed.`)
  return found
}
