import type { Dialect } from '../openai-compatible/dialect.ts'

/** What is known of a provider that we can call. */
export interface ProviderFacts {
  /** Registry key and first part of a model reference. */
  readonly name: string
  /** What people call it. */
  readonly label: string
  /** Environment variables that hold its key, the first one that is set wins. Empty: it needs none. */
  readonly keyNames: readonly string[]
  /** Whether calls without a key are pointless. */
  readonly needsKey: boolean
  /** Environment variable that moves it elsewhere. */
  readonly baseUrlName?: string
  /** Undefined where the person says where it is. */
  readonly baseUrl: string | undefined
  /** Page where one gets a key. */
  readonly keyPage?: string
  /** Used when nobody named a model. */
  readonly defaultModel?: string
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
  readonly dialect: Dialect
}

/** OpenRouter's routing rules, from `provider_routing` of the configuration. */
export type ProviderRouting = Readonly<Record<string, unknown>>
