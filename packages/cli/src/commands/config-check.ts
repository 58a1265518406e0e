import { ConfigError, type ConfigIssue } from '@hermes/core/config/config-error.ts'
import { configVersion } from '@hermes/core/config/migrate.ts'
import { platformSecrets } from '@hermes/core/config/platform-variables.ts'
import { otherSecrets, serviceKeys } from '@hermes/core/config/variables.ts'
import type { Cli, CommandInput } from '../command.ts'
import { type ConfigContext, openConfigContext, printJson, wanted } from './config-context.ts'

interface Report {
  readonly isValid: boolean
  /** Of the file; null when it says none. */
  readonly version: number | null
  readonly current_version: number
  readonly errors: readonly ConfigIssue[]
  readonly warnings: readonly string[]
  readonly variables: readonly { readonly name: string; readonly purpose: string; readonly isSet: boolean }[]
}

/** `config check`: what is wrong or odd in the files, and which keys are there. Exit code 1 when something is wrong. */
export async function checkConfig(input: CommandInput, cli: Cli): Promise<number> {
  wanted(input, 'check', '', 0)
  const report = await reportOn(openConfigContext(cli))
  if (input.options['json'] === true) printJson(cli, report)
  else cli.stdout.write(reportText(report))
  return report.isValid ? 0 : 1
}

async function reportOn(context: ConfigContext): Promise<Report> {
  const purposes = Object.entries({ ...serviceKeys, ...platformSecrets, ...otherSecrets })
  const variables = purposes.map(([name, purpose]) => ({ name, purpose, isSet: Boolean(context.environment[name]) }))
  const base = { current_version: configVersion, variables }
  try {
    const { config, warnings } = await context.load()
    const all = [...context.warnings, ...warnings.map(({ message }) => message)]
    return { ...base, isValid: true, version: config._config_version ?? null, errors: [], warnings: all }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const whole: ConfigIssue = { key: '', where: 'config.yaml', message: error.message }
    const errors = error.issues.length > 0 ? error.issues : [whole]
    return { ...base, isValid: false, version: null, errors, warnings: context.warnings }
  }
}

function reportText({ isValid, version, current_version, errors, warnings, variables }: Report): string {
  const set = variables.filter(({ isSet }) => isSet)
  const told = version === null ? 'none in the file' : String(version)
  const width = Math.max(...variables.map(({ name }) => name.length))
  const lines = [
    ...(isValid
      ? ['✓ The settings are in order']
      : errors.map(({ key, where, message }) => `✗ ${key === '' ? '' : `${key} (${where}): `}${message}`)),
    ...warnings.map((message) => `! ${message}`),
    '',
    `Version: ${told} (current: ${current_version})`,
    'Required keys: none',
    'Optional keys:',
    ...variables.map(({ name, purpose, isSet }) => `  ${isSet ? '✓' : '○'} ${name.padEnd(width)}  ${purpose}`),
    '',
    `${set.length} of ${variables.length} keys are set.`,
  ]
  return `${lines.join('\n')}\n`
}
