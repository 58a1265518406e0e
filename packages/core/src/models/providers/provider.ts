import type { Dialects, WireName } from '../speech.ts'
import type { CallTarget } from '../wire/place.ts'

/** An environment variable that may hold a provider's key. */
export interface KeyVariable {
  readonly name: string
  /** Only a value that begins so is this provider's. */
  readonly prefix?: string
  /** Only for an endpoint on this host or below it. */
  readonly host?: string
  /** Whether it holds the token of a sign-in rather than a key that one gets on the provider's page. */
  readonly isToken?: boolean
}

/** One of several addresses of a provider, of which each key is taken by one. */
export interface ProviderAddress {
  readonly id: string
  /** What people call it. */
  readonly label: string
  readonly baseUrl: string
  /** A model that it has, to try a key with. */
  readonly model: string
}

/** What is known of a provider that we can call. */
export interface ProviderFacts {
  /** Registry key and first part of a model reference. */
  readonly name: string
  /** What people call it. */
  readonly label: string
  /** Environment variables that hold its key, in the order in which they are used. */
  readonly keys: readonly KeyVariable[]
  /** Whether calls without a key are pointless. */
  readonly needsKey: boolean
  /** Whether one can sign in to it, so that a token may be kept where no variable is. */
  readonly signsIn?: boolean
  /** Environment variable that moves it elsewhere. */
  readonly baseUrlVariable?: string
  /** Undefined where the person says where it is. */
  readonly baseUrl: string | undefined
  /** Keys that begin so belong to another address of it. */
  readonly baseUrlByPrefix?: Readonly<Record<string, string>>
  /** Its addresses, where a key is taken by one of several: which one, is found out by trying, in this order. */
  readonly addresses?: readonly ProviderAddress[]
  /** How its key is set, where that is not just by its variable: sentences for people. */
  readonly keyHint?: string
  /** Whether a subscription pays for the calls of a key, where that depends on the key. */
  readonly isSubscription?: (call: CallTarget) => boolean
  /** Page where one gets a key. */
  readonly keyPage?: string
  /** Used when nobody named a model. */
  readonly defaultModel?: string
  /** A cheap and quick model, for side tasks. */
  readonly sideModel?: string
  /** The model that looks at pictures, where the side model does not. */
  readonly visionModel?: string
  /** Whether its model names begin with another provider's name, as in `anthropic/claude-…`. */
  readonly isAggregator?: boolean
  /** Whether a key in the environment is enough to choose it. False where the key has other uses. */
  readonly isFoundByKey?: boolean
  /** The port on this machine that it listens on when nobody changed it. */
  readonly localPort?: number
  /** Further host names that are this provider. */
  readonly hosts?: readonly string[]
  /** The provider that it counts as when it is moved to a host of another name: its variable is used for any server. */
  readonly elsewhere?: string
  /** The most tokens of an answer, for models that must be told one. */
  readonly maxOutputTokens?: (model: string) => number | undefined
  /** The wires that it has, each in its dialect. */
  readonly speaks: Dialects
  /** Which of them serves a model, where there are several; the first one otherwise. */
  readonly wireFor?: (model: string, baseUrl: string) => WireName
  /** Whether it may turn out not to have the wire that a model is meant for, and has chat completions at least. */
  readonly mayHaveChatOnly?: boolean
}

/** OpenRouter's routing rules, from `provider_routing` of the configuration. */
export type ProviderRouting = Readonly<Record<string, unknown>>

export function variables(...names: readonly string[]): readonly KeyVariable[] {
  return names.map((name) => ({ name }))
}
