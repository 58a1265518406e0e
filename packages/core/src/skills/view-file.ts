import { extname } from 'node:path'
import { openReal } from '../security/file-safety.ts'
import type { SkillEntry } from './catalogue.ts'
import { isText } from './guard/file-kind.ts'
import { realFileInside } from './inside.ts'
import { linkedFiles } from './linked-files.ts'
import { unsafeSkill } from './read-skill.ts'
import { SkillError } from './skill-error.ts'
import { maxFileBytes } from './skill-limits.ts'
import { scanSkillText } from './skill-text-scan.ts'

/** A supporting file of a skill. */
export interface SkillFile {
  readonly path: string
  /** Undefined of a binary file. */
  readonly text: string | undefined
  readonly size: number
  /** The ending, e.g. `.py`. */
  readonly type: string
}

/** Reads one file of a skill by its relative path. Throws `SkillError`. */
export async function readSkillFile(entry: SkillEntry, file: string): Promise<SkillFile> {
  const path = await realFileInside(entry.folder, file)
  if (path === undefined) throw await missing(entry, file)
  await using handle = await openReal(path)
  const stats = await handle.stat()
  if (!stats.isFile()) throw await missing(entry, file)
  if (stats.size > maxFileBytes) {
    throw new SkillError(
      'invalid',
      `${file} is ${stats.size} bytes large, more than ${maxFileBytes}. Look at it with read_file: ${path}`,
    )
  }
  const bytes = await handle.readFile()
  if (!isText(bytes)) return { path, text: undefined, size: stats.size, type: extname(file) }
  const text = bytes.toString('utf8')
  const problems = await scanSkillText(text)
  if (problems.length > 0) throw unsafeSkill(`${entry.name}/${file}`, problems)
  return { path, text, size: stats.size, type: extname(file) }
}

async function missing(entry: SkillEntry, file: string): Promise<SkillError> {
  return new SkillError('not-found', `Skill "${entry.name}" has no file ${file}.`, {
    available_files: await linkedFiles(entry.folder),
  })
}
