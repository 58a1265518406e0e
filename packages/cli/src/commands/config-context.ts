import { ConfigError } from '@hermes/core/config/config-error.ts'
import { type LoadedEnvironment, loadEnvironment } from '@hermes/core/config/environment.ts'
import { type Home, openHome } from '@hermes/core/config/home.ts'
import { type LoadedConfig, loadConfig } from '@hermes/core/config/load.ts'
import { type Cli, CommandError, type CommandInput, UsageError } from '../command.ts'

/** What the `config` commands work on. */
export interface ConfigContext extends LoadedEnvironment {
  readonly home: Home
  /** Reads the effective configuration. */
  readonly load: () => Promise<LoadedConfig>
}

export function openConfigContext(cli: Cli): ConfigContext {
  const home = openHome(cli.environment)
  const loaded = loadEnvironment(home, cli.environment)
  return {
    home,
    ...loaded,
    load: () => loadConfig({ home, environment: loaded.environment, fromFile: loaded.fromFile }),
  }
}

/** Runs a command's work; what the configuration refuses is told in its own words. */
export async function orCommandError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ConfigError) throw new CommandError(error.message, 1, { cause: error })
    throw error
  }
}

/** The positionals, when there are as many as there must be. */
export function wanted(
  input: CommandInput,
  command: string,
  usage: string,
  least: number,
  most = least,
): readonly string[] {
  const { positionals } = input
  if (positionals.length < least || positionals.length > most) {
    throw new UsageError(`hermes config ${command}: write "hermes config ${command} ${usage}"`)
  }
  return positionals
}

export function printJson(cli: Cli, value: unknown): void {
  cli.stdout.write(`${JSON.stringify(value, null, 2)}\n`)
}
