import { constants } from 'node:fs'
import type { BigIntStats } from 'node:fs'
import { lstat, open, readlink } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Environment } from '../agent/context.ts'
import type { Home } from '../config/home.ts'
import { FileSafetyError } from './file-safety-error.ts'
import { createFileGuard, isWithin } from './file-safety-guard.ts'
import type { FileGuard } from './file-safety-guard.ts'
import { absolutePath, realEntry, realTarget } from './file-safety-resolve.ts'

/** By what rules paths are judged. */
export interface FileRules {
  readonly home: Home
  readonly environment: Environment
  /** Where relative paths start. */
  readonly cwd: string
}

/** A path that may be used. */
export interface CheckedPath {
  /** As it was asked for, absolute; for messages. */
  readonly asked: string
  /** Where it really is: the one to open. */
  readonly path: string
  /** What is there; undefined for nothing. Never a device, pipe or socket. */
  readonly stats: BigIntStats | undefined
}

/** The rules for a tool call, from the parts of its context that they depend on. */
export function fileRules(context: {
  readonly agent: { readonly home: Home; readonly environment: Environment }
  readonly session: { cwd(): string }
}): FileRules {
  const { home, environment } = context.agent
  return { home, environment, cwd: context.session.cwd() }
}

/** A path that may be read, or listed when it is a folder. Throws `FileSafetyError`. */
export async function checkRead(path: string, rules: FileRules): Promise<CheckedPath> {
  const { asked, real, guard } = await located(path, rules, realTarget)
  const stats = await statOf(real)
  if (await isRefused([asked, real], stats, guard, ['all'])) throw protectedFile(asked, 'read')
  refuseSpecial(asked, stats)
  return { asked, path: real, stats }
}

/** A path that may be written: a file that is there or is to be made. Throws `FileSafetyError`. */
export async function checkWrite(path: string, rules: FileRules): Promise<CheckedPath> {
  return checkChange(path, rules, realTarget)
}

/** A path whose entry may be removed or moved away: of a link the link itself. Throws `FileSafetyError`. */
export async function checkRemove(path: string, rules: FileRules): Promise<CheckedPath> {
  return checkChange(path, rules, realEntry)
}

/**
 * Opens for reading what was checked, and nothing that was put in its place meanwhile. Never waits for a pipe's writer.
 * Throws `FileSafetyError` with code `changed`.
 */
export async function openChecked({ asked, path, stats }: CheckedPath): Promise<FileHandle> {
  const file = await openReal(path)
  try {
    const opened = await file.stat({ bigint: true })
    // The number of a removed file can be that of what came after it, so the kind is compared too.
    const isSame =
      stats !== undefined && opened.dev === stats.dev && opened.ino === stats.ino && opened.isFile() === stats.isFile()
    if (!isSame) throw replaced(asked)
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

/**
 * Opens a file for reading by its real path, and nothing that a link put there meanwhile leads to. Never waits for a
 * pipe's writer. Throws `FileSafetyError` with code `changed`.
 */
export async function openReal(path: string): Promise<FileHandle> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    if (!(await isOpenAt(file, path))) throw replaced(path)
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

/** What a guard needs, for checks of many paths at once. */
export async function guardOf({ home, environment }: FileRules): Promise<FileGuard> {
  return createFileGuard({ hermesHome: home.dir, userHome: await userHomeOf(home, environment) })
}

/** What `~` means: the folder that commands get as their `HOME`. */
export async function userHomeOf(home: Home, environment: Environment): Promise<string> {
  const own = home.path('home')
  if (environment['HERMES_HOME'] && (await statOf(own))?.isDirectory()) return own
  return environment['HOME'] || homedir()
}

async function checkChange(path: string, rules: FileRules, resolve: typeof realTarget): Promise<CheckedPath> {
  const { asked, real, guard, userHome } = await located(path, rules, resolve)
  const stats = await statOf(real)
  if (await isRefused([asked, real], stats, guard, ['all', 'write'])) throw protectedFile(asked, 'written')
  const root = rules.environment['HERMES_WRITE_SAFE_ROOT']
  if (root && !isWithin(real, await realTarget(absolutePath(root, rules.cwd, userHome)))) {
    throw new FileSafetyError(
      'outside-root',
      `${asked} is outside ${root}, the only folder that may be written (HERMES_WRITE_SAFE_ROOT).`,
    )
  }
  if (!stats?.isSymbolicLink()) refuseSpecial(asked, stats)
  return { asked, path: real, stats }
}

async function located(path: string, rules: FileRules, resolve: typeof realTarget) {
  const userHome = await userHomeOf(rules.home, rules.environment)
  const asked = absolutePath(path, rules.cwd, userHome)
  const [real, guard] = await Promise.all([resolve(asked), createFileGuard({ hermesHome: rules.home.dir, userHome })])
  return { asked, real, guard, userHome }
}

async function isRefused(
  paths: readonly string[],
  stats: BigIntStats | undefined,
  guard: FileGuard,
  refused: readonly string[],
): Promise<boolean> {
  if (paths.some((path) => refused.includes(guard.protection(path) ?? ''))) return true
  if (!stats?.isFile() || stats.nlink < 2n) return false
  return refused.includes((await guard.protectionOfLinked(stats)) ?? '')
}

function replaced(path: string): FileSafetyError {
  return new FileSafetyError('changed', `${path} was replaced while it was being opened; try again.`)
}

function protectedFile(path: string, verb: 'read' | 'written'): FileSafetyError {
  const advice =
    verb === 'read'
      ? 'Ask the user for what you need of it.'
      : 'Ask the user to change it, or use the command meant for it.'
  return new FileSafetyError(
    'protected',
    `${path} is protected (credentials, system or start-up files, what runs by itself) and cannot be ${verb} by tools. ${advice}`,
  )
}

function refuseSpecial(path: string, stats: BigIntStats | undefined): void {
  if (stats && !stats.isFile() && !stats.isDirectory()) {
    throw new FileSafetyError('special-file', `${path} is a device, pipe or socket, not a file.`)
  }
}

async function statOf(path: string): Promise<BigIntStats | undefined> {
  try {
    return await lstat(path, { bigint: true })
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return undefined
    throw error
  }
}

/** Whether the open file is the one at this path: no folder on the way was swapped. Linux tells; elsewhere it is looked at again. */
async function isOpenAt(file: FileHandle, path: string): Promise<boolean> {
  try {
    return (await readlink(join('/proc/self/fd', String(file.fd)))) === path
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error
  }
  return (await realTarget(path)) === path
}
