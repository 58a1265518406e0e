import { isUtf8 } from 'node:buffer'
import type { Home } from './home.ts'
import { ConfigError } from './config-error.ts'
import { dotenvValues, editDotenv, isVariableName, parseDotenv } from './dotenv.ts'
import { readIfThere } from './read-if-there.ts'
import { knownVariables } from './variables.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The environment of a profile. */
export interface LoadedEnvironment {
  /** The process's variables with those of `.env` over them. */
  readonly environment: Environment
  /** The variables of `.env`: the line, and the different value of the process that it hides. */
  readonly fromFile: ReadonlyMap<string, EnvironmentFileEntry>
  /** What is wrong with lines of `.env`; values are not in the text. */
  readonly warnings: readonly string[]
}

export interface EnvironmentFileEntry {
  readonly line: number
  readonly hides: string | undefined
}

/**
 * Lays the home's `.env` over the process's variables, as upstream does: the file wins. Known variables that stand run
 * together on one line are read one by one; the file is left as it is. `HERMES_HOME` in the file is ignored, since the
 * file was found by it.
 */
export function loadEnvironment(home: Home, processEnvironment: Environment): LoadedEnvironment {
  const file = readDotenv(home.path('.env'))
  if (file === undefined) return { environment: processEnvironment, fromFile: new Map(), warnings: [] }
  const dotenv = parseDotenv(file.text, knownNames)
  const warnings = dotenv.problems.map(({ line, message }) => `.env line ${line}: ${message}`)
  const environment: Record<string, string | undefined> = { ...processEnvironment }
  const fromFile = new Map<string, EnvironmentFileEntry>()
  for (const [name, value] of dotenvValues(dotenv, processEnvironment)) {
    const line = dotenv.entries.findLast((entry) => entry.name === name)?.line ?? 0
    if (name === 'HERMES_HOME' || value.includes('\0')) {
      warnings.push(`.env line ${line}: ${name} is ignored`)
      continue
    }
    const own = processEnvironment[name]
    fromFile.set(name, { line, hides: own === value ? undefined : own })
    environment[name] = value
  }
  return { environment, fromFile, warnings }
}

/**
 * Sets one variable in the home's `.env`, or takes it out when `value` is undefined. Every other line stays as it is;
 * the file is 0600. Throws `ConfigError` with code `bad-variable`.
 */
export async function saveVariable(
  { home, signal }: { readonly home: Home; readonly signal?: AbortSignal },
  name: string,
  value: string | undefined,
): Promise<void> {
  if (!isVariableName(name)) {
    throw new ConfigError('bad-variable', `"${name}" is no name of a variable: letters, digits and _ are.`)
  }
  if (value !== undefined && /[\r\n\0]/.test(value)) {
    throw new ConfigError('bad-variable', `The value of ${name} has a line break or NUL in it; .env takes one line.`)
  }
  const { withFileLock } = await import('../storage/file-lock.ts')
  const { writePrivateFile } = await import('./private-file.ts')
  const path = home.path('.env')
  const change = async () => {
    const file = readDotenv(path) ?? { text: '', encoding: 'utf8' as const }
    const edited = editDotenv(file.text, name, value, knownNames)
    if (edited === file.text) return
    if (dotenvValues(parseDotenv(edited, knownNames), {}).get(name) !== value) {
      throw new ConfigError('edit-by-hand', `${name} cannot be set: an earlier line of ${path} leaves a quote open.`)
    }
    // A file in an older encoding stays in it while the text fits; else all of it becomes UTF-8.
    const encoding = file.encoding === 'latin1' && /^[\0-\xFF]*$/.test(edited) ? 'latin1' : 'utf8'
    await writePrivateFile(path, Buffer.from(edited, encoding))
  }
  await withFileLock(path, change, signal ? { signal } : {})
}

interface DotenvText {
  readonly text: string
  readonly encoding: 'utf8' | 'latin1'
}

/** The file's text: UTF-8, else Latin-1. Undefined when it is not there. */
function readDotenv(path: string): DotenvText | undefined {
  const bytes = readIfThere(path)
  if (bytes === undefined) return undefined
  const encoding = isUtf8(bytes) ? 'utf8' : 'latin1'
  return { text: bytes.toString(encoding), encoding }
}

function knownNames(): ReadonlySet<string> {
  return new Set(knownVariables().map(({ name }) => name))
}
