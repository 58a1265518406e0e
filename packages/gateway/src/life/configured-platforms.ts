import type { AgentContext } from '@hermes/core/agent/context.ts'
import type { ConfiguredPlatform } from '../gateway.ts'
import { isMentioned } from '../platforms/mentioned.ts'
import { pluginPlatforms } from '../platforms/plugins/plugin-platforms.ts'
import { platforms } from '../platforms/registry.ts'
import { chosenPlatforms } from './chosen-platforms.ts'

/** A platform that is set in part. */
export interface IncompletePlatform {
  readonly name: string
  readonly label: string
  /** What is missing, for people. */
  readonly reason: string
}

export interface PlatformChoice {
  readonly ready: readonly ConfiguredPlatform[]
  readonly incomplete: readonly IncompletePlatform[]
}

/**
 * The platforms that the profile has set up, or those of them that `only` names; the code of those that are not mentioned
 * anywhere is not loaded.
 */
export async function configuredPlatforms(
  agent: Pick<AgentContext, 'config' | 'environment' | 'home'>,
  only?: readonly string[],
): Promise<PlatformChoice> {
  const { config, environment } = agent
  const plugins = await pluginPlatforms(agent)
  const ready: ConfiguredPlatform[] = []
  const incomplete: IncompletePlatform[] = plugins.broken.map(({ plugin, reason }) => ({
    name: plugin,
    label: `The plugin ${plugin}`,
    reason,
  }))
  const builtIn = Object.entries(platforms).map(([name, load]) => ({ name, load, variablePrefixes: [] }))
  const own = plugins.platforms.filter(({ name }) => !Object.hasOwn(platforms, name))
  for (const { name, load, variablePrefixes } of [...builtIn, ...own]) {
    if (!isMentioned(name, variablePrefixes, { config, environment })) continue
    try {
      const platform = await load()
      const setup = platform.read(config, environment)
      if (setup.state === 'ready') ready.push({ platform, settings: setup.settings })
      if (setup.state === 'incomplete') incomplete.push({ name, label: platform.label, reason: setup.reason })
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      incomplete.push({ name, label: name, reason: `it cannot be loaded: ${reason}` })
    }
  }
  return only === undefined ? { ready, incomplete } : chosenPlatforms({ ready, incomplete }, only)
}
