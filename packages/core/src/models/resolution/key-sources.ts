import { existsSync } from 'node:fs'
import type { Environment } from '../../agent/context.ts'
import type { Home } from '../../config/home.ts'
import type { CredentialPool } from '../../credentials/pool.ts'
import type { KeyVariable } from '../providers/provider.ts'
import type { ProviderFacts } from '../providers/provider.ts'

/** Where keys are looked for. */
export interface KeySources {
  readonly environment: Environment
  readonly home: Home | undefined
  /** The credentials that are kept; loaded when something is. */
  readonly credentials: (() => Promise<CredentialPool>) | undefined
}

/** A key that a variable holds. */
export interface VariableKey {
  readonly name: string
  readonly value: string
}

/** The keys of a provider that the environment holds for calls to an address, in the order in which they are used. */
export function variableKeys(
  keys: readonly KeyVariable[],
  baseUrl: string | undefined,
  environment: Environment,
): readonly VariableKey[] {
  return keys.flatMap((key) => {
    const { name, prefix = '' } = key
    const value = environment[name]?.trim() ?? ''
    return value !== '' && value.startsWith(prefix) && isFor(key, baseUrl) ? [{ name, value }] : []
  })
}

/** Whether a variable's key may go to an address. */
export function isFor({ host }: KeyVariable, baseUrl: string | undefined): boolean {
  return host === undefined || isOnHost(baseUrl, host)
}

/** Whether credentials are kept in the home. Where none are, the environment alone is asked. */
export function hasKeptCredentials({ home, credentials }: KeySources): boolean {
  if (!home || !credentials) return false
  return existsSync(home.path('auth.json')) || existsSync(home.path('.anthropic_oauth.json'))
}

/** The pool that knows a provider's keys; undefined where the environment tells all there is. */
export function poolFor(
  facts: Pick<ProviderFacts, 'keys' | 'signsIn'>,
  baseUrl: string | undefined,
  sources: KeySources,
): (() => Promise<CredentialPool>) | undefined {
  const isAlone = !facts.signsIn && variableKeys(facts.keys, baseUrl, sources.environment).length <= 1
  return isAlone && !hasKeptCredentials(sources) ? undefined : sources.credentials
}

function isOnHost(url: string | undefined, host: string): boolean {
  const name = URL.parse(url ?? '')?.hostname
  return name !== undefined && (name === host || name.endsWith(`.${host}`))
}
