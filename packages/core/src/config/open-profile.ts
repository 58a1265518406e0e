import type { Environment } from '../agent/context.ts'
import { loadEnvironment } from './environment.ts'
import type { LoadedEnvironment } from './environment.ts'
import { openHome } from './home.ts'
import type { Home } from './home.ts'
import { loadConfig, loadLastConfig } from './load.ts'
import type { LoadedConfig } from './load.ts'

/** A profile's home with what it says, read once. */
export interface Profile extends Omit<LoadedConfig, 'warnings'>, Omit<LoadedEnvironment, 'warnings'> {
  readonly home: Home
  /** Of `.env` and of the configuration, for people. */
  readonly notices: readonly string[]
}

/** Reads the home, `.env` and configuration that a process's environment points to. Throws `ConfigError`. */
export async function openProfile(processEnvironment: Environment): Promise<Profile> {
  const home = openHome(processEnvironment)
  const loaded = loadEnvironment(home, processEnvironment)
  const config = await loadConfig({ home, environment: loaded.environment, fromFile: loaded.fromFile })
  return profileOf(home, loaded, config)
}

/** The same by the configuration that was right last, where its files cannot be used now. Undefined where none is known. */
export function openLastProfile(processEnvironment: Environment): Profile | undefined {
  const home = openHome(processEnvironment)
  const loaded = loadEnvironment(home, processEnvironment)
  const config = loadLastConfig({ home, environment: loaded.environment, fromFile: loaded.fromFile })
  return config && profileOf(home, loaded, config)
}

function profileOf(home: Home, loaded: LoadedEnvironment, config: LoadedConfig): Profile {
  const notices = [...loaded.warnings, ...config.warnings.map((warning) => warning.message)]
  return {
    home,
    notices,
    environment: loaded.environment,
    fromFile: loaded.fromFile,
    config: config.config,
    sources: config.sources,
  }
}
