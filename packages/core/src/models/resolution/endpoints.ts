import type { Environment } from '../../agent/context.ts'
import { ModelError } from '../model-error.ts'
import { isLocal } from '../net/address.ts'
import type { Dialect } from '../openai-compatible/dialect.ts'
import { aliasNames } from '../providers/aliases.ts'
import { missingProviders } from '../providers/not-yet.ts'
import type { ProviderFacts } from '../providers/provider.ts'
import { similarNames } from '../similar-names.ts'
import type { KeyedPlace } from '../wire/place.ts'
import type { Choice } from './choice.ts'
import { timeLimits } from './time-limits.ts'
import type { UserEndpoint } from './user-endpoints.ts'

/** One place that speaks chat completions. */
export interface Endpoint extends KeyedPlace {
  readonly dialect: Dialect
}

/** What endpoints are made of. */
export interface EndpointSources {
  readonly providers: ReadonlyMap<string, ProviderFacts>
  readonly own: ReadonlyMap<string, UserEndpoint>
  readonly environment: Environment
  /** The file that people put keys in, as they see it. */
  readonly envFile: string
}

/** The endpoint of a choice that names its provider. Throws `not-configured` saying what is missing. */
export function endpointOf(choice: Choice, sources: EndpointSources): Endpoint {
  const own = sources.own.get(choice.provider)
  if (own) return ownEndpoint(own, sources)
  const named = sources.providers.get(choice.provider)
  if (!named) throw unknownProvider(choice.provider, sources)
  refuseOtherWires(choice.apiMode, choice.baseUrl)
  const baseUrl = choice.baseUrl ?? baseUrlOf(named, sources.environment)
  if (baseUrl === undefined) {
    throw new ModelError('not-configured', `The provider ${named.name} needs an address: set model.base_url.`)
  }
  const isMoved = named.elsewhere !== undefined && providerAt(baseUrl, sources).name !== named.name
  const facts = isMoved || named.baseUrl === undefined ? providerAt(baseUrl, sources) : named
  return knownEndpoint(facts, baseUrl, choice.apiKey, sources)
}

/** The provider that an address is known to be, else `custom`. */
export function providerAt(baseUrl: string, { providers }: EndpointSources): ProviderFacts {
  const url = URL.parse(baseUrl)
  const known = [...providers.values()].find((facts) => url !== null && isAt(facts, url))
  const custom = known ?? providers.get('custom')
  if (!custom) throw new Error('The registry has no `custom` provider.')
  return custom
}

function isAt({ baseUrl, hosts = [], localPort }: ProviderFacts, url: URL): boolean {
  if (hosts.includes(url.hostname)) return true
  if (localPort !== undefined) return isLocal(url.hostname) && Number(url.port) === localPort
  return baseUrl !== undefined && url.hostname === URL.parse(baseUrl)?.hostname
}

/** A provider's address: its environment variable's, else its own. */
function baseUrlOf(facts: ProviderFacts, environment: Environment): string | undefined {
  return (facts.baseUrlName && environment[facts.baseUrlName]?.trim()) || facts.baseUrl
}

function knownEndpoint(
  facts: ProviderFacts,
  baseUrl: string,
  givenKey: string | undefined,
  { environment, envFile }: EndpointSources,
): Endpoint {
  const keyName = facts.keyNames.find((name) => environment[name]?.trim())
  const apiKey = givenKey ?? (keyName === undefined ? undefined : environment[keyName]?.trim())
  const keyHint = keyHintOf(facts, givenKey === undefined ? (keyName ?? facts.keyNames[0]) : undefined, envFile)
  if (apiKey === undefined && facts.needsKey) {
    throw new ModelError('not-configured', `${facts.label} needs a key. ${keyHint}`)
  }
  const near = isNear(baseUrl)
  return {
    name: facts.name,
    label: facts.label,
    baseUrl: withoutSlash(baseUrl),
    apiKey,
    keyHint,
    isLocal: near,
    dialect: facts.dialect,
    limits: timeLimits(environment, near),
  }
}

function ownEndpoint(own: UserEndpoint, sources: EndpointSources): Endpoint {
  refuseOtherWires(own.apiMode, own.baseUrl)
  const { environment, envFile } = sources
  const named = own.keyEnv === undefined ? undefined : environment[own.keyEnv]?.trim()
  if (own.keyEnv !== undefined && !named && own.apiKey === undefined) {
    const message = `The endpoint ${own.label} needs a key: set ${own.keyEnv} in ${envFile}.`
    throw new ModelError('not-configured', message)
  }
  const facts = providerAt(own.baseUrl, sources)
  const near = isNear(own.baseUrl)
  return {
    name: own.name,
    label: own.label,
    baseUrl: withoutSlash(own.baseUrl),
    apiKey: own.apiKey ?? (named || undefined),
    keyHint: `Its key is ${own.keyEnv ?? 'api_key'} of the endpoint ${own.label} in the configuration.`,
    isLocal: near,
    dialect: facts.dialect,
    limits: timeLimits(environment, near),
  }
}

function keyHintOf(facts: ProviderFacts, keyName: string | undefined, envFile: string): string {
  if (keyName === undefined) return 'The key is model.api_key in the configuration.'
  const page = facts.keyPage === undefined ? '' : ` (keys: ${facts.keyPage})`
  return `Set ${keyName} in ${envFile}${page}.`
}

/** Settings that ask for a wire that is not spoken yet. */
function refuseOtherWires(apiMode: string | undefined, baseUrl: string | undefined): void {
  const isOther = apiMode !== undefined && apiMode !== 'chat_completions'
  if (!isOther && !/\/anthropic\/?$/.test(baseUrl ?? '')) return
  const wire = isOther ? apiMode : 'anthropic_messages'
  const message = `The wire ${wire} is not there yet. What works now: endpoints with chat_completions.`
  throw new ModelError('not-configured', message)
}

function unknownProvider(name: string, { providers, own }: EndpointSources): ModelError {
  const usable = [...own.keys(), ...providers.keys()]
  const missing = missingProviders.find((provider) => provider.name === name)
  if (missing) {
    const instead = 'OpenRouter serves the models of most makers (OPENROUTER_API_KEY)'
    const message = `The provider ${missing.name} is not there yet. ${instead}; also there: ${usable.slice(1).join(', ')}.`
    return new ModelError('not-configured', message)
  }
  const similar = similarNames(name, [...usable, ...missingProviders.map((provider) => provider.name), ...aliasNames])
  const advice = similar.length > 0 ? `Did you mean ${similar.join(' or ')}?` : `Known: ${usable.join(', ')}.`
  return new ModelError('not-configured', `There is no provider ${name}. ${advice}`)
}

function isNear(baseUrl: string): boolean {
  const url = URL.parse(baseUrl)
  return url !== null && isLocal(url.hostname)
}

function withoutSlash(url: string): string {
  return url.trim().replace(/\/+$/, '')
}
