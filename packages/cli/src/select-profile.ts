import { constants } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, join, resolve, sep } from 'node:path'
import type { Environment } from '@hermes/core/agent/context.ts'
import { CommandError } from './command.ts'

/** More than any name, with some room for white space. */
const maxNameBytes = 4096

/** Upstream's pattern of profile names; `default` is the root home. */
const profileName = /^[a-z0-9][a-z0-9_-]{0,63}$/

/**
 * Applies `-p NAME`, `--profile NAME` or `--profile=NAME`, wherever it stands, else the sticky `active_profile`, by
 * pointing `HERMES_HOME` at the profile's folder. Throws `CommandError` for a profile that is not there.
 */
export async function selectProfile(
  argv: readonly string[],
  environment: Environment,
): Promise<{ rest: readonly string[]; environment: Environment }> {
  const root = rootOf(environment)
  const { name: wanted, rest } = takeFlag(argv)
  const name = wanted ?? (await activeProfile(root))
  if (name === undefined) return { rest, environment }
  if (!profileName.test(name)) throw new CommandError(`"${name}" is no profile name: small letters, digits, - and _.`)
  if (name === 'default') return { rest, environment: { ...environment, HERMES_HOME: root } }
  const dir = join(root, 'profiles', name)
  if (!(await isFolder(dir))) throw new CommandError(`There is no profile "${name}" (looked for ${dir}).`)
  return { rest, environment: { ...environment, HERMES_HOME: dir } }
}

/** The home that profiles hang under: of `HERMES_HOME`, of a profile inside it, or `~/.hermes`. */
function rootOf(environment: Environment): string {
  const standard = join(homedir(), '.hermes')
  const home = resolve(environment['HERMES_HOME'] || standard)
  if (home === standard || home.startsWith(standard + sep)) return standard
  return basename(dirname(home)) === 'profiles' ? dirname(dirname(home)) : home
}

function takeFlag(argv: readonly string[]): { name: string | undefined; rest: readonly string[] } {
  for (const [index, word] of argv.entries()) {
    if (word === '--') break
    if (word.startsWith('--profile=')) {
      return { name: word.slice('--profile='.length), rest: argv.toSpliced(index, 1) }
    }
    if ((word === '-p' || word === '--profile') && argv[index + 1] !== undefined) {
      return { name: argv[index + 1], rest: argv.toSpliced(index, 2) }
    }
  }
  return { name: undefined, rest: argv }
}

async function activeProfile(root: string): Promise<string | undefined> {
  const path = join(root, 'active_profile')
  try {
    // Not blocking: for a pipe in its place nobody may ever come.
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const stats = await file.stat()
    if (!stats.isFile() || stats.size > maxNameBytes) throw new CommandError(`${path} must be a file with one name.`)
    const name = (await file.readFile('utf8')).trim()
    return name === '' || name === 'default' ? undefined : name
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return undefined
    throw error
  }
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false
}
