import { ConfigError } from '@hermes/core/config/config-error.ts'
import { openProfile } from '@hermes/core/config/open-profile.ts'
import type { Profile } from '@hermes/core/config/open-profile.ts'
import { systemClock } from '@hermes/core/agent/clock.ts'
import { silentLogger } from '@hermes/core/log/logger.ts'
import { memoryStart } from '@hermes/core/memory/long-term-memory.ts'
import { MemoryProviderError } from '@hermes/core/memory/memory-provider-error.ts'
import type { MemoryProviderKind, MemoryProviderStart } from '@hermes/core/memory/memory-provider.ts'
import { memoryProviders } from '@hermes/core/memory/providers/registry.ts'
import { nearest } from '@hermes/core/text/nearest.ts'
import { type Cli, CommandError, UsageError } from '../../command.ts'
import { cleanText } from '../../repl/clean-text.ts'

/** Opens the profile for one command; what is refused is told in its own words. */
export async function withProfile<Result>(cli: Cli, work: (profile: Profile) => Promise<Result>): Promise<Result> {
  try {
    return await work(await openProfile(cli.environment))
  } catch (error) {
    const isKnown = error instanceof ConfigError || error instanceof MemoryProviderError
    if (isKnown) throw new CommandError(cleanText(error.message), 1, { cause: error })
    throw error
  }
}

/** The kind that a person names. Throws `UsageError` with the nearest names. */
export async function kindOf(name: string): Promise<MemoryProviderKind> {
  const load = Object.hasOwn(memoryProviders, name) ? memoryProviders[name] : undefined
  if (load) return load()
  const names = Object.keys(memoryProviders).sort()
  const near = nearest(name, names)
  const hint = near !== undefined ? `Did you mean ${near}?` : `There are: ${names.join(', ')}.`
  throw new UsageError(`There is no memory provider "${name}". ${hint}`)
}

/** Every kind, by name. */
export async function allKinds(): Promise<readonly MemoryProviderKind[]> {
  const kinds = await Promise.all(Object.values(memoryProviders).map((load) => load()))
  return kinds.sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** How a provider is opened to be looked at, in no session. */
export function startOf(kind: MemoryProviderKind, profile: Profile, cli: Cli): MemoryProviderStart {
  const { home, environment, config } = profile
  const agent = { home, environment, config, clock: systemClock(config.timezone), log: silentLogger }
  return { ...memoryStart(agent, kind), sessionId: 'status', platform: 'cli', role: 'flush', workspace: cli.cwd }
}
