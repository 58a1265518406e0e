import { isDeepStrictEqual } from 'node:util'
import type { Environment } from '@hermes/core/agent/context.ts'
import type { Profile } from '@hermes/core/config/open-profile.ts'
import { getAt } from '@hermes/core/config/tree.ts'

/** What is made of these once, when the gateway starts. */
const lateSettings = [
  ['mcp_servers'],
  ['memory', 'provider'],
  ['terminal'],
  ['logging'],
  ['timezone'],
  ['telemetry'],
  ['api_server'],
  ['platforms', 'api_server'],
  ['approvals', 'gateway_timeout'],
] as const

/** So are these variables: a key that was changed must not be believed to hold. */
const lateVariable = /^(?:API_SERVER|HERMES_METRICS|OTEL)_/

type Settings = Pick<Profile, 'config' | 'environment'>

/** What of changed settings a gateway that runs takes up only when it is started anew: keys and names of variables. */
export function lateChanges(now: Settings, before: Settings): readonly string[] {
  return [
    ...lateSettings
      .filter((path) => !isDeepStrictEqual(getAt(now.config, path), getAt(before.config, path)))
      .map((path) => path.join('.')),
    ...changedVariables(now.environment, before.environment).filter((name) => lateVariable.test(name)),
  ]
}

/** Names of those that differ, sorted. */
function changedVariables(now: Environment, before: Environment): readonly string[] {
  const names = new Set([...Object.keys(now), ...Object.keys(before)])
  return [...names].filter((name) => now[name] !== before[name]).toSorted()
}
