import { usableSkills } from './find-skill.ts'
import { slashName } from './skill-name.ts'
import type { SkillScope } from './skill-scope.ts'

/** A skill as a slash command. */
export interface SkillCommand {
  /** Without the slash, e.g. `csv-wrangling`. */
  readonly command: string
  /** The skill's name. */
  readonly skill: string
  readonly description: string
}

/** The slash commands that skills give, by command; of two with the same the first. For menus and completion. */
export async function skillCommands(scope: SkillScope): Promise<SkillCommand[]> {
  const commands = new Map<string, SkillCommand>()
  for (const { name, title, description } of await usableSkills(scope)) {
    const command = slashName(title) || slashName(name)
    if (command !== '' && !commands.has(command)) commands.set(command, { command, skill: name, description })
  }
  return [...commands.values()].sort((a, b) => (a.command < b.command ? -1 : 1))
}
