import { bindings } from './bindings.ts'
import { type ConfigIssue, invalidConfig } from './config-error.ts'
import type { EnvironmentFileEntry } from './environment.ts'
import { formatKey } from './key-path.ts'
import type { SettingSource } from './sources.ts'
import { VariableError } from './variable-values.ts'

/** What the environment sets. */
export interface EnvironmentValue {
  readonly path: readonly string[]
  readonly key: string
  /** Strongest first: `.env`, then what it hides of the process. */
  readonly sources: readonly SettingSource[]
}

/** Reads every variable that sets a setting. Throws `ConfigError` with code `invalid`, naming each wrong one. */
export function environmentValues(
  environment: Readonly<Record<string, string | undefined>>,
  fromFile: ReadonlyMap<string, EnvironmentFileEntry>,
): readonly EnvironmentValue[] {
  const values: EnvironmentValue[] = []
  const issues: ConfigIssue[] = []
  for (const { variable, path, read } of bindings) {
    const text = environment[variable]
    if (text === undefined) continue
    const key = formatKey(path)
    const entry = fromFile.get(variable)
    const sources: SettingSource[] = []
    const add = (kind: SettingSource['kind'], from: string, given: string) => {
      try {
        const value = read(given)
        if (value !== undefined) sources.push({ kind, from, value })
      } catch (error) {
        if (!(error instanceof VariableError)) throw error
        issues.push({ key, where: from, message: error.message })
      }
    }
    if (entry) add('env-file', `${variable} in .env line ${entry.line}`, text)
    else add('environment', variable, text)
    if (entry?.hides !== undefined) add('environment', `${variable} of the process`, entry.hides)
    if (sources.length > 0) values.push({ path, key, sources })
  }
  if (issues.length > 0) throw invalidConfig(issues)
  return values
}
