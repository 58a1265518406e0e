import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, readdir, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import type { Home } from '../../config/home.ts'
import { homeSkillsFolder } from '../skill-scope.ts'
import { filesIn } from './folder-hash.ts'
import { ensureHubFolder, hubPath } from './hub-folder.ts'

/** Removed folders are kept a while, in case it was a mistake. */
const maxTrash = 20

/**
 * An empty folder on the same disk as the skills, in which a skill is put together before it goes to its place in one
 * step. Call all of these under the lock of the skills.
 */
export async function stagingFolder(home: Home): Promise<string> {
  const parent = await ensureHubFolder(home, 'staging')
  const folder = join(parent, `new-${randomBytes(6).toString('hex')}`)
  await mkdir(folder, { mode: 0o700 })
  return folder
}

/**
 * Puts a staged folder in the place of a skill, or in an empty place. The machine may stop at any moment: the place has
 * the old or the new, or the next `recoverSwaps` brings the old one back.
 */
export async function placeFolder(home: Home, staged: string, target: string): Promise<void> {
  await mkdir(dirname(target), { recursive: true, mode: 0o700 })
  if (!existsSync(target)) return rename(staged, target)
  const aside = await setAside(home, target)
  try {
    await rename(staged, target)
  } catch (error) {
    await rename(join(aside, 'old'), target)
    await rm(aside, { recursive: true, force: true })
    throw error
  }
  await rm(aside, { recursive: true, force: true })
}

/** Moves a skill's folder out of the way, into the trash, and removes the folder above it when it is empty then. */
export async function discardFolder(home: Home, target: string): Promise<void> {
  const trash = await ensureHubFolder(home, 'trash')
  const name = relative(homeSkillsFolder(home), target).replaceAll('/', '__')
  await rename(target, join(trash, `${Date.now()}-${randomBytes(3).toString('hex')}-${name}`))
  await removeIfEmpty(home, dirname(target))
  const kept = (await readdir(trash)).sort()
  for (const old of kept.slice(0, Math.max(0, kept.length - maxTrash))) {
    await rm(join(trash, old), { recursive: true, force: true })
  }
}

/** Ends what was interrupted: puts back what was set aside and not replaced, and clears the rest away. */
export async function recoverSwaps(home: Home): Promise<void> {
  const parent = hubPath(home, 'staging')
  for (const name of await namesIn(parent)) {
    const folder = join(parent, name)
    if (name.startsWith('old-')) await putBack(home, folder)
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * Copies a folder's files, with their permission to be run and otherwise for their owner alone: an installation may be
 * read-only, a home is not.
 */
export async function copyFolder(from: string, to: string): Promise<void> {
  for (const path of await filesIn(from)) {
    const target = join(to, path)
    const { mode } = await stat(join(from, path))
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    await writeFile(target, await readFile(join(from, path)), { mode: mode & 0o100 ? 0o700 : 0o600 })
  }
}

/** The journal is written before the move, so that whatever is found in it can be put back. */
async function setAside(home: Home, target: string): Promise<string> {
  const parent = await ensureHubFolder(home, 'staging')
  const aside = join(parent, `old-${randomBytes(6).toString('hex')}`)
  await mkdir(aside, { mode: 0o700 })
  await writeFile(join(aside, 'place'), relative(homeSkillsFolder(home), target), { mode: 0o600, flush: true })
  await rename(target, join(aside, 'old'))
  return aside
}

async function putBack(home: Home, aside: string): Promise<void> {
  const old = join(aside, 'old')
  if (!existsSync(old) || !existsSync(join(aside, 'place'))) return
  const place = await readFile(join(aside, 'place'), 'utf8')
  if (place === '' || place.split('/').includes('..')) return
  const target = join(homeSkillsFolder(home), place)
  if (existsSync(target)) return
  await mkdir(dirname(target), { recursive: true, mode: 0o700 })
  await rename(old, target)
}

async function removeIfEmpty(home: Home, folder: string): Promise<void> {
  if (folder === homeSkillsFolder(home)) return
  const names = await namesIn(folder)
  // A category that is only described is empty, too.
  if (names.length > 1 || (names.length === 1 && names[0] !== 'DESCRIPTION.md')) return
  await rm(join(folder, 'DESCRIPTION.md'), { force: true })
  await rmdir(folder)
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}
