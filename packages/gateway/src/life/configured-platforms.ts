import type { AgentContext } from '@hermes/core/agent/context.ts'
import type { ConfiguredPlatform } from '../gateway.ts'
import type { Platform } from '../platforms/platform.ts'
import { platforms } from '../platforms/registry.ts'

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

/** The platforms that the profile has set up; the code of those that are not mentioned anywhere is not loaded. */
export async function configuredPlatforms({
  config,
  environment,
}: Pick<AgentContext, 'config' | 'environment'>): Promise<PlatformChoice> {
  const ready: ConfiguredPlatform[] = []
  const incomplete: IncompletePlatform[] = []
  for (const [name, load] of Object.entries(platforms)) {
    if (!isMentioned(name, { config, environment })) continue
    const platform: Platform = await load()
    const setup = platform.read(config, environment)
    if (setup.state === 'ready') ready.push({ platform, settings: setup.settings })
    if (setup.state === 'incomplete') incomplete.push({ name, label: platform.label, reason: setup.reason })
  }
  return { ready, incomplete }
}

/** Variables that begin otherwise than their platform's name. */
const otherPrefixes: Readonly<Record<string, readonly string[]>> = {
  homeassistant: ['HASS'],
  sms: ['TWILIO'],
  qqbot: ['QQ'],
}

function isMentioned(name: string, { config, environment }: Pick<AgentContext, 'config' | 'environment'>): boolean {
  if (config.platforms[name] !== undefined) return true
  const prefixes = [name.toUpperCase(), ...(otherPrefixes[name] ?? [])]
  return Object.entries(environment).some(
    ([variable, value]) => value && prefixes.some((prefix) => variable.startsWith(`${prefix}_`)),
  )
}
