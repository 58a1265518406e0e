import type { Profile } from '@hermes/core/config/open-profile.ts'

/** What of all that is set up a gateway is to run: names as in `status`. Undefined: everything. */
export type Chosen = readonly string[] | undefined

const apiServer = 'api_server'

/** By which variables what was named is switched on, whatever the settings say. */
const switches: Readonly<Record<string, string>> = { [apiServer]: 'API_SERVER_ENABLED', webhook: 'WEBHOOK_ENABLED' }

/** How help shows them. */
export const chosenPositionals = '[platform...]'

/** The names that a command was given. */
export function readChosen(positionals: readonly string[]): Chosen {
  const names = positionals.map((name) => name.trim().toLowerCase().replaceAll('-', '_'))
  return names.length === 0 ? undefined : [...new Set(names)]
}

/** The names that a gateway was started with, by its words: `hermes gateway run api_server --profile work`. */
export function chosenBefore(words: readonly string[]): Chosen {
  const at = words.findIndex((word, index) => word === 'run' && words[index - 1] === 'gateway')
  if (at < 0) return undefined
  const isValue = (index: number) => ['--profile', '-p'].includes(words[index - 1] ?? '')
  return readChosen(words.filter((word, index) => index > at && !word.startsWith('-') && !isValue(index)))
}

/** The profile with what was named switched on. */
export function switchedOn(profile: Profile, chosen: Chosen): Profile {
  const on = (chosen ?? []).flatMap((name) => (switches[name] === undefined ? [] : [[switches[name], 'true'] as const]))
  return on.length === 0 ? profile : { ...profile, environment: { ...profile.environment, ...Object.fromEntries(on) } }
}

/** Whether the API server is to run where its settings say so. */
export function isApiServerChosen(chosen: Chosen): boolean {
  return chosen?.includes(apiServer) ?? true
}

/** The chat platforms among them. */
export function chosenChats(chosen: Chosen): Chosen {
  return chosen?.filter((name) => name !== apiServer)
}
