import type { AgentContext } from '@hermes/core/agent/context.ts'
import { platforms } from './registry.ts'

/** Variables that begin otherwise than their platform's name. */
const otherPrefixes: Readonly<Record<string, readonly string[]>> = {
  homeassistant: ['HASS'],
  sms: ['TWILIO'],
  qqbot: ['QQ'],
}

type Settings = Pick<AgentContext, 'config' | 'environment'>

/** Whether settings name a platform, by itself or by variables that begin with one of `more`. */
export function isMentioned(name: string, more: readonly string[], { config, environment }: Settings): boolean {
  if (config.platforms[name] !== undefined) return true
  const prefixes = [name.toUpperCase(), ...(otherPrefixes[name] ?? []), ...more]
  return Object.entries(environment).some(
    ([variable, value]) => value && prefixes.some((prefix) => variable.startsWith(`${prefix}_`)),
  )
}

/** Platforms whose chats nobody can write to. */
const notChats: ReadonlySet<string> = new Set(['webhook', 'api_server'])

/** Whether settings name a platform that can be written to; the code of none is loaded. */
export function isAnyMentioned({ config, environment }: Settings): boolean {
  const names = new Set([...Object.keys(platforms), ...Object.keys(config.platforms)])
  return [...names].some((name) => !notChats.has(name) && isMentioned(name, [], { config, environment }))
}
