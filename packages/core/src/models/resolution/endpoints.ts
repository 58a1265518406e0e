import { customKey } from '../../credentials/custom-key.ts'
import { ModelError } from '../model-error.ts'
import type { Keys } from '../keys/keys.ts'
import { fixedKey } from '../keys/keys.ts'
import { isLocal } from '../net/address.ts'
import { aliasNames } from '../providers/aliases.ts'
import type { ProviderFacts } from '../providers/provider.ts'
import { similarNames } from '../similar-names.ts'
import { speechOf } from '../speech.ts'
import type { Speech } from '../speech.ts'
import type { Place } from '../wire/place.ts'
import type { Choice } from './choice.ts'
import { isFor, poolFor, variableKeys } from './key-sources.ts'
import type { KeySources } from './key-sources.ts'
import { timeLimits } from './time-limits.ts'
import type { UserEndpoint } from './user-endpoints.ts'

/** One place that serves models, how it is spoken to, and with which keys. */
export interface Endpoint {
  readonly place: Place
  readonly facts: ProviderFacts
  /** Whether the person said where it is. */
  readonly isPlaced: boolean
  readonly keys: Keys
  /** Tells endpoints with other keys apart: a name, never a key. */
  readonly keyName: string
  readonly speech: (model: string) => Speech
}

/** What endpoints are made of. */
export interface EndpointSources extends KeySources {
  readonly providers: ReadonlyMap<string, ProviderFacts>
  readonly own: ReadonlyMap<string, UserEndpoint>
  /** The file that people put keys in, as they see it. */
  readonly envFile: string
}

/** The endpoint of a choice that names its provider. Throws `not-configured` saying what is missing. */
export async function endpointOf(choice: Choice, sources: EndpointSources): Promise<Endpoint> {
  const own = sources.own.get(choice.provider)
  if (own) return ownEndpoint(own, choice, sources)
  const named = sources.providers.get(choice.provider)
  if (!named) throw unknownProvider(choice.provider, sources)
  const { facts, baseUrl } = located(named, choice, sources)
  const keyNames = variableKeys(facts.keys, baseUrl, sources.environment).map(({ name }) => name)
  const hint = choice.apiKey === undefined ? keyHintOf(facts, keyNames[0], baseUrl, sources) : configuredKeyHint
  const { isSubscription } = facts
  const place = { ...placeOf(facts.name, facts.label, baseUrl, hint, sources), isSubscription }
  const { keys, keyName } = await keysOf(facts, choice, place, sources)
  const isPlaced = choice.baseUrl !== undefined || movedTo(named, sources) !== undefined
  const speech = (model: string): Speech => speechOf(facts, place.baseUrl, model, choice.apiMode)
  return { place, facts, isPlaced, keys, keyName, speech }
}

/** Where a provider is, and what it is when it is somewhere else than usual. */
function located(
  named: ProviderFacts,
  choice: Choice,
  sources: EndpointSources,
): { readonly facts: ProviderFacts; readonly baseUrl: string } {
  const baseUrl = choice.baseUrl ?? baseUrlOf(named, sources)
  if (baseUrl === undefined) {
    throw new ModelError('not-configured', `The provider ${named.name} needs an address: set model.base_url.`)
  }
  const isMoved = named.elsewhere !== undefined && providerAt(baseUrl, sources).name !== named.name
  const facts = isMoved || named.baseUrl === undefined ? providerAt(baseUrl, sources) : named
  return { facts, baseUrl }
}

type KeyChoice = Pick<Endpoint, 'keys' | 'keyName'>

/** The key that was given, those of the pool where there is something in it, or what the environment holds. */
async function keysOf(
  facts: ProviderFacts,
  choice: Choice,
  place: Place,
  sources: EndpointSources,
): Promise<KeyChoice> {
  if (choice.apiKey !== undefined) return { keys: fixedKey(choice.apiKey), keyName: 'given' }
  const [first] = variableKeys(facts.keys, place.baseUrl, sources.environment)
  const fixed: KeyChoice = { keys: fixedKey(first?.value), keyName: first?.name ?? '' }
  const isMoved = choice.baseUrl !== undefined
  const pooled = await pooledKeysOf(facts.name, facts, { place, isMoved }, sources)
  if (pooled) return pooled
  if (first === undefined && facts.needsKey) {
    const what = facts.keys.length > 0 ? 'a key' : 'a sign-in'
    throw new ModelError('not-configured', `${facts.label} needs ${what}. ${place.keyHint}`)
  }
  return fixed
}

/** The keys of a pool; undefined where it has none, or tells no more than the environment. */
async function pooledKeysOf(
  provider: string,
  facts: Pick<ProviderFacts, 'keys' | 'signsIn'>,
  { place, isMoved }: { readonly place: Place; readonly isMoved: boolean },
  sources: EndpointSources,
): Promise<KeyChoice | undefined> {
  const open = poolFor(facts, place.baseUrl, sources)
  if (!open || !(await (await open()).has(provider))) return undefined
  const { pooledKeys } = await import('../keys/pooled-keys.ts')
  return { keys: pooledKeys({ pool: open, provider, label: place.label, isMoved }), keyName: 'pool' }
}

/** The provider that an address is known to be, else `custom`. */
export function providerAt(baseUrl: string, { providers }: EndpointSources): ProviderFacts {
  const url = URL.parse(baseUrl)
  const there = [...providers.values()].filter((facts) => url !== null && isAt(facts, url))
  // Of two at one host, the one whose path goes further.
  const known = there.toSorted((a, b) => sharedPath(b, baseUrl) - sharedPath(a, baseUrl))[0]
  const custom = known ?? providers.get('custom')
  if (!custom) throw new Error('The registry has no `custom` provider.')
  return custom
}

function isAt({ baseUrl, hosts = [], localPort }: ProviderFacts, url: URL): boolean {
  if (hosts.includes(url.hostname)) return true
  if (localPort !== undefined) return isLocal(url.hostname) && Number(url.port) === localPort
  return baseUrl !== undefined && url.hostname === URL.parse(baseUrl)?.hostname
}

function sharedPath({ baseUrl = '' }: ProviderFacts, url: string): number {
  return url.startsWith(baseUrl) ? baseUrl.length : 0
}

/** A provider's address: its variable's, that of its key, else its own. */
function baseUrlOf(facts: ProviderFacts, sources: EndpointSources): string | undefined {
  const moved = movedTo(facts, sources)
  if (moved !== undefined) return moved
  const [key] = variableKeys(facts.keys, facts.baseUrl, sources.environment)
  const prefixes = Object.entries(facts.baseUrlByPrefix ?? {})
  return prefixes.find(([prefix]) => key?.value.startsWith(prefix))?.[1] ?? facts.baseUrl
}

/** Where the environment says that a provider is. */
function movedTo({ baseUrlVariable }: ProviderFacts, { environment }: EndpointSources): string | undefined {
  return (baseUrlVariable && environment[baseUrlVariable]?.trim()) || undefined
}

async function ownEndpoint(own: UserEndpoint, choice: Choice, sources: EndpointSources): Promise<Endpoint> {
  const { environment, envFile } = sources
  const facts = providerAt(own.baseUrl, sources)
  const hint = `Its key is ${own.keyEnv ?? 'api_key'} of the endpoint ${own.label} in the configuration.`
  const place = placeOf(own.name, own.label, own.baseUrl, hint, sources)
  const named = own.keyEnv === undefined ? undefined : environment[own.keyEnv]?.trim()
  const pooled = await pooledKeysOf(customKey(own.label), { keys: [] }, { place, isMoved: true }, sources)
  if (own.keyEnv !== undefined && !named && own.apiKey === undefined && !pooled) {
    const message = `The endpoint ${own.label} needs a key: set ${own.keyEnv} in ${envFile}.`
    throw new ModelError('not-configured', message)
  }
  const fixed = { keys: fixedKey(own.apiKey ?? (named || undefined)), keyName: own.keyEnv ?? 'api_key' }
  const apiMode = choice.apiMode ?? own.apiMode
  const speech = (model: string): Speech => speechOf(facts, place.baseUrl, model, apiMode)
  return { place, facts, isPlaced: true, ...(pooled ?? fixed), speech }
}

function placeOf(name: string, label: string, url: string, keyHint: string, { environment }: EndpointSources): Place {
  const near = isNear(url)
  const baseUrl = withoutSlash(url)
  return { name, label, baseUrl, keyHint, isLocal: near, limits: timeLimits(environment, near) }
}

const configuredKeyHint = 'The key is model.api_key in the configuration.'

function keyHintOf(
  facts: ProviderFacts,
  set: string | undefined,
  baseUrl: string,
  { envFile }: EndpointSources,
): string {
  if (facts.keyHint !== undefined) return facts.keyHint
  const name = set ?? facts.keys.find((key) => !key.isToken && isFor(key, baseUrl))?.name
  const signIn = `run: hermes auth add ${facts.name}`
  if (name === undefined) return `To sign in, ${signIn}`
  const page = facts.keyPage === undefined ? '' : ` (keys: ${facts.keyPage})`
  return `Set ${name} in ${envFile}${page}${facts.signsIn && set === undefined ? `, or ${signIn}` : '.'}`
}

function unknownProvider(name: string, { providers, own }: Pick<EndpointSources, 'providers' | 'own'>): ModelError {
  const usable = [...own.keys(), ...providers.keys()]
  const similar = similarNames(name, [...usable, ...aliasNames])
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
