import { realpath } from 'node:fs/promises'
import { isAbsolute, join, sep } from 'node:path'
import { SkillError } from './skill-error.ts'

/** The parts of a relative path with `/`. Throws `SkillError` for one that could lead out of its folder. */
export function safeParts(path: string): string[] {
  const parts = path.split('/')
  const isBad = parts.some((part) => part === '' || part === '.' || part === '..' || part.length > 255)
  if (isBad || isAbsolute(path) || /[\\\p{Cc}]|^[A-Za-z]:/u.test(path) || path.length > 1_000) {
    throw new SkillError('invalid', `"${path}" is no path within a skill: relative, with "/", without "..".`)
  }
  return parts
}

/**
 * The file of a relative path within a folder, links followed; undefined when it is not there. Throws `SkillError` when
 * it lies outside.
 */
export async function realFileInside(folder: string, path: string): Promise<string | undefined> {
  const parts = safeParts(path)
  try {
    const [root, file] = await Promise.all([realpath(folder), realpath(join(folder, ...parts))])
    if (file.startsWith(root + sep)) return file
    throw new SkillError('invalid', `"${path}" leads out of the skill's folder.`)
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return undefined
    throw error
  }
}
