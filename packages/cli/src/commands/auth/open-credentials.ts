import type { Clock } from '@hermes/core/agent/clock.ts'
import { systemClock } from '@hermes/core/agent/clock.ts'
import { openProfile } from '@hermes/core/config/open-profile.ts'
import type { Profile } from '@hermes/core/config/open-profile.ts'
import { poolSettings } from '@hermes/core/credentials/endpoints.ts'
import type { CredentialStatus } from '@hermes/core/credentials/credential-status.ts'
import type { ManageOptions } from '@hermes/core/credentials/manage.ts'
import { openCredentialPool } from '@hermes/core/credentials/pool.ts'
import type { CredentialPool } from '@hermes/core/credentials/pool.ts'
import { providerId, providerKeys } from '@hermes/core/credentials/provider-keys.ts'
import type { PoolStrategy } from '@hermes/core/credentials/strategy.ts'
import { aliasNames } from '@hermes/core/models/providers/aliases.ts'
import { nearest } from '@hermes/core/text/nearest.ts'
import type { Cli } from '../../command.ts'
import { UsageError } from '../../command.ts'

/** A profile's credentials, for the commands that show and change them. */
export interface Credentials {
  readonly profile: Profile
  readonly pool: CredentialPool
  readonly clock: Clock
  readonly strategies: Readonly<Record<string, PoolStrategy>>
  readonly manage: ManageOptions
}

/** Opens them; what people should know of them goes to stderr. */
export async function openCredentials(cli: Cli): Promise<Credentials> {
  const profile = await openProfile(cli.environment)
  const { home, environment, config } = profile
  const clock = systemClock(config.timezone)
  const settings = poolSettings(config, environment)
  const onNotice = (message: string): void => void cli.stderr.write(`! ${message}\n`)
  const pool = openCredentialPool({ home, environment, clock, onNotice, ...settings })
  const manage = { home, environment, processEnvironment: cli.environment }
  return { profile, pool, clock, strategies: settings.strategies, manage }
}

/** The id of the provider that a word means. Throws `UsageError` with the nearest name. */
export function providerOf(word: string, command: string): string {
  const id = providerId(word)
  if (id !== undefined) return id
  const meant = nearest(word, [...Object.keys(providerKeys), ...aliasNames])
  const hint = meant ? `Did you mean "${meant}"?` : `Known are: ${Object.keys(providerKeys).join(', ')}, custom:NAME.`
  throw new UsageError(`${command}: there is no provider "${word}". ${hint}`)
}

/** The providers that have any credential, or the one that is named. */
export async function providersWithCredentials({ pool, profile }: Credentials): Promise<readonly string[]> {
  const { credential_pool: stored } = await pool.file.read()
  const { endpoints } = poolSettings(profile.config, profile.environment)
  const names = new Set([...Object.keys(providerKeys), ...Object.keys(stored), ...endpoints.map((one) => one.pool)])
  const found: string[] = []
  for (const name of names) if ((await pool.view(name)).length > 0) found.push(name)
  return found
}

/** What there is for one provider. */
export interface ProviderCredentials {
  readonly provider: string
  readonly list: readonly CredentialStatus[]
}

/**
 * The credentials of all providers. The key of a variable that several could use is shown once: with the provider that
 * the configuration chooses, else with one that needs a key.
 */
export async function allCredentials(credentials: Credentials): Promise<readonly ProviderCredentials[]> {
  const { pool, profile } = credentials
  const chosen = providerId(profile.config.model.provider)
  const names = await providersWithCredentials(credentials)
  const all = await Promise.all(names.map(async (provider) => ({ provider, list: await pool.list(provider) })))
  const rank = (name: string) => (name === chosen ? 0 : providerKeys[name]?.needsKey ? 1 : 2)
  const owners = new Map<string, string>()
  for (const { provider, list } of all.toSorted((a, b) => rank(a.provider) - rank(b.provider))) {
    for (const { source } of list) if (!owners.has(source)) owners.set(source, provider)
  }
  return all.flatMap(({ provider, list }) => {
    const own = list.filter(({ source }) => !source.startsWith('env:') || owners.get(source) === provider)
    return own.length === 0 ? [] : [{ provider, list: own }]
  })
}
