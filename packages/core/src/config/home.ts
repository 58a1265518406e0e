import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

/** A profile's home folder: where everything that is kept lives. */
export interface Home {
  /** Absolute path, e.g. `/home/ann/.hermes`. */
  readonly dir: string
  /** A path inside it. */
  path(...parts: string[]): string
}
export function openHome(environment: Readonly<Record<string, string | undefined>>): Home {
  const dir = resolve(environment['HERMES_HOME'] || join(homedir(), '.hermes'))
  return { dir, path: (...parts) => join(dir, ...parts) }
}
