import { chmodSync, existsSync, mkdirSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

/** A profile's home folder: where everything that is kept lives. */
export interface Home {
  /** Absolute path, e.g. `/home/ann/.hermes`. */
  readonly dir: string
  /** A path inside it. */
  path(...parts: string[]): string
}

type Environment = Readonly<Record<string, string | undefined>>

/** The home that `HERMES_HOME` names, else `~/.hermes`. It need not be there yet. */
export function openHome(environment: Environment): Home {
  const dir = resolve(environment['HERMES_HOME'] || join(homedir(), '.hermes'))
  return { dir, path: (...parts) => join(dir, ...parts) }
}

/**
 * Makes the home and its folders where they are missing: 0700, or as `HERMES_HOME_MODE` says (octal). What is there
 * keeps its mode. In a managed installation nothing is made: throws `HomeError` when the home is missing.
 */
export function ensureHome(home: Home, environment: Environment): void {
  const manager = managedBy(home, environment)
  if (manager !== undefined) {
    if (existsSync(home.dir)) return
    throw new HomeError('missing', `${home.dir} is missing, and ${manager} manages it: it must make it.`)
  }
  const mode = folderMode(environment)
  for (const name of ['', 'cron', 'sessions', 'logs', 'memories']) ensureFolder(home.path(name), mode)
}

/** Who manages this installation's files (NixOS, Homebrew …), or undefined: then settings may be written. */
export function managedBy(home: Home, environment: Environment): string | undefined {
  const value = (environment['HERMES_MANAGED'] ?? '').trim()
  const known = managers[value.toLowerCase()]
  if (known !== undefined) return known
  if (value !== '' && !['0', 'false', 'no', 'off'].includes(value.toLowerCase())) return value
  return existsSync(home.path('.managed')) ? 'NixOS' : undefined
}

const managers: Readonly<Record<string, string>> = {
  true: 'NixOS',
  '1': 'NixOS',
  yes: 'NixOS',
  nixos: 'NixOS',
  nix: 'NixOS',
  brew: 'Homebrew',
  homebrew: 'Homebrew',
}

function folderMode(environment: Environment): number {
  const text = environment['HERMES_HOME_MODE']
  if (!text) return 0o700
  if (!/^(0o?)?[0-7]{3,4}$/.test(text)) {
    throw new HomeError('bad-mode', `HERMES_HOME_MODE is "${text}"; it must be an octal mode such as 0700 or 750.`)
  }
  return Number.parseInt(text.replace(/^0o/, ''), 8)
}

function ensureFolder(path: string, mode: number): void {
  if (existsSync(path)) {
    if (statSync(path).isDirectory()) return
    throw new HomeError('not-a-folder', `${path} is there, but is no folder. Move it away, or set HERMES_HOME.`)
  }
  try {
    makeFolder(path, mode)
    // The umask may have taken away what the mode grants.
    chmodSync(path, mode)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new HomeError('not-writable', `${path} cannot be made: ${reason}`, { cause: error })
  }
}

/** One folder after the other: Node's own `recursive` never ends where a folder takes no new ones, as in `/proc`. */
function makeFolder(path: string, mode: number): void {
  const parent = dirname(path)
  if (!existsSync(parent)) makeFolder(parent, mode)
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw error
  }
}

export type HomeErrorCode = 'missing' | 'not-a-folder' | 'not-writable' | 'bad-mode'

/** The home folder cannot be used as it is. */
export class HomeError extends Error {
  override readonly name = 'HomeError'
  readonly code: HomeErrorCode

  constructor(code: HomeErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}
