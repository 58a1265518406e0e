import type { Config } from '@hermes/core/config/schema.ts'

type Behaviour = Config['unauthorized_dm_behavior']

/** What a stranger who writes directly gets: of `platforms.<name>.extra`, of the platform's section, or in general. */
export function strangersGet(platform: string, config: Config): Behaviour {
  const key = 'unauthorized_dm_behavior'
  const section: unknown = Object.hasOwn(config, platform) ? Reflect.get(config, platform) : undefined
  const own: unknown = typeof section === 'object' && section !== null ? Reflect.get(section, key) : undefined
  return [config.platforms[platform]?.extra[key], own].find(isBehaviour) ?? config[key]
}

function isBehaviour(value: unknown): value is Behaviour {
  return value === 'pair' || value === 'ignore'
}
