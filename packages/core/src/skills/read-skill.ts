import { open } from 'node:fs/promises'
import type { SkillEntry } from './catalogue.ts'
import { parseFrontmatter } from './frontmatter.ts'
import { skillMetadata } from './metadata.ts'
import type { SkillMetadata } from './metadata.ts'
import { SkillError } from './skill-error.ts'
import { maxSkillBytes } from './skill-limits.ts'
import { scanSkillText } from './skill-text-scan.ts'

/** A skill's SKILL.md. */
export interface SkillDocument {
  readonly entry: SkillEntry
  /** The whole file. */
  readonly text: string
  /** Without the fields. */
  readonly body: string
  readonly metadata: SkillMetadata
  /** Ids of what in it tries to steer the agent: a model must not read it unless its person says so. */
  readonly problems: readonly string[]
}

/** Reads a skill's SKILL.md whole. Throws `SkillError`. */
export async function readSkill(entry: SkillEntry): Promise<SkillDocument> {
  const text = await readText(entry)
  const { fields, body } = await parseFrontmatter(text)
  return { entry, text, body, metadata: skillMetadata(fields, entry.name), problems: await scanSkillText(text) }
}

async function readText({ name, path }: SkillEntry): Promise<string> {
  try {
    await using file = await open(path)
    const stats = await file.stat()
    if (!stats.isFile() || stats.size > maxSkillBytes) {
      throw new SkillError('invalid', `SKILL.md of "${name}" is not a file of at most ${maxSkillBytes} bytes.`)
    }
    return await file.readFile('utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      throw new SkillError('not-found', `SKILL.md of "${name}" is gone.`)
    }
    throw error
  }
}

/** Says what was found, without saying it. */
export function unsafeSkill(name: string, problems: readonly string[]): SkillError {
  return new SkillError(
    'unsafe',
    `"${name}" is withheld: it holds text that tries to steer the agent (${problems.join(', ')}). Tell your person; they can look at it and, if it is harmless, load it themselves with /${name}.`,
    { blocked: problems },
  )
}
