import type { Environment } from '@hermes/core/agent/context.ts'
import { loadConfig } from '@hermes/core/config/load.ts'
import type { Profile } from '@hermes/core/config/open-profile.ts'

/** What is read from the root of `config.yaml` where it is used, since chats change it there; and what names the home. */
const readElsewhere = /_HOME_(?:CHANNEL|ROOM|ADDRESS)(?:_NAME|_THREAD)?$|^HERMES_HOME$/

/**
 * The profile with the variables at the root of its `config.yaml` (`TELEGRAM_ALLOWED_USERS: 7`) in its environment, where
 * that has none of their name: so upstream's gateway takes them. Throws `ConfigError`.
 */
export async function withRootVariables(profile: Profile): Promise<Profile> {
  const environment = rootEnvironment(profile)
  if (environment === profile.environment) return profile
  // Some of them set settings.
  const { config, sources } = await loadConfig({ home: profile.home, environment, fromFile: profile.fromFile })
  return { ...profile, environment, config, sources }
}

/** The environment with them; the same one where there are none. */
export function rootEnvironment({ config, environment }: Pick<Profile, 'config' | 'environment'>): Environment {
  const added = Object.entries(config).flatMap(([name, value]): readonly (readonly [string, string])[] => {
    if (!/^[A-Z][A-Z0-9_]*$/.test(name) || readElsewhere.test(name) || environment[name]?.trim()) return []
    const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    return isPlain ? [[name, String(value)]] : []
  })
  return added.length === 0 ? environment : { ...environment, ...Object.fromEntries(added) }
}
