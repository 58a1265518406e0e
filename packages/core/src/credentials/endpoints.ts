import type { Environment } from '../agent/context.ts'
import type { Config } from '../config/schema.ts'
import { customKey } from './custom-key.ts'
import { providerId } from './provider-keys.ts'
import type { PoolStrategy } from './strategy.ts'

/** An endpoint that the configuration names, and its key. */
export interface ConfiguredEndpoint {
  /** Its pool: `custom:<name>`, `custom`, or a provider. */
  readonly pool: string
  /** `config:<name>` or `model_config`. */
  readonly source: string
  readonly baseUrl: string
  /** Empty where it names none. */
  readonly key: string
}

type EndpointConfig = Pick<Config, 'model' | 'providers' | 'custom_providers'>

interface NamedEndpoint {
  readonly [setting: string]: unknown
  readonly name?: string | undefined
  readonly api_key?: string | undefined
  readonly key_env?: string | undefined
}

/** The keys that `config.yaml` holds or names: of its endpoints, and of the model's own `base_url`. */
export function configuredEndpoints(config: EndpointConfig, environment: Environment): readonly ConfiguredEndpoint[] {
  const named: NamedEndpoint[] = [
    ...Object.entries(config.providers).map(([name, endpoint]) => ({ ...endpoint, name: endpoint.name ?? name })),
    ...config.custom_providers,
  ]
  const endpoints = named.flatMap((endpoint): ConfiguredEndpoint[] => {
    const { name = '', api_key: written, key_env: variable } = endpoint
    const key = written || (variable ? environment[variable] : undefined)
    const baseUrl = firstText(endpoint['api'], endpoint['url'], endpoint['base_url'])
    if (name === '' || baseUrl === undefined) return []
    return [{ pool: customKey(name), source: `config:${name}`, baseUrl, key: key ?? '' }]
  })
  const { base_url: baseUrl, api_key: key, provider } = config.model
  if (baseUrl === '' && key === '') return endpoints
  const same = endpoints.find((endpoint) => sameUrl(endpoint.baseUrl, baseUrl))
  const pool = same?.pool ?? providerId(provider) ?? (baseUrl === '' ? undefined : 'custom')
  return pool === undefined ? endpoints : [...endpoints, { pool, source: 'model_config', baseUrl, key }]
}

/** What a pool takes from the configuration. */
export interface PoolSettings {
  readonly strategies: Readonly<Record<string, PoolStrategy>>
  readonly endpoints: readonly ConfiguredEndpoint[]
  readonly chosen: readonly string[]
}

type PoolConfig = EndpointConfig & Pick<Config, 'credential_pool_strategies' | 'fallback_providers' | 'fallback_model'>

/** The pool's options that stand in the configuration: `openCredentialPool({ …, ...poolSettings(config, environment) })`. */
export function poolSettings(config: PoolConfig, environment: Environment): PoolSettings {
  const strategies = Object.entries(config.credential_pool_strategies)
  return {
    strategies: Object.fromEntries(strategies.map(([name, strategy]) => [providerId(name) ?? name, strategy])),
    endpoints: configuredEndpoints(config, environment),
    chosen: chosenProviders(config),
  }
}

/** The providers that the configuration chooses: only their sign-ins in other programs' files are used. */
export function chosenProviders(config: Pick<Config, 'model' | 'fallback_providers' | 'fallback_model'>): string[] {
  const names = [config.model.provider, ...config.fallback_providers.map(({ provider }) => provider)]
  if (config.fallback_model) names.push(config.fallback_model.provider)
  // `anthropic/claude-…` names its provider too.
  const [prefix, rest] = config.model.default.split('/')
  if (prefix !== undefined && rest !== undefined) names.push(prefix)
  return [...new Set(names.flatMap((name) => providerId(name) ?? []))]
}

function firstText(...values: readonly unknown[]): string | undefined {
  return values.find((value) => typeof value === 'string' && value !== '') as string | undefined
}

function sameUrl(a: string, b: string): boolean {
  return b !== '' && a.replace(/\/+$/, '') === b.replace(/\/+$/, '')
}
