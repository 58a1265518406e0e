import type { Environment } from '../agent/context.ts'
import type { GuardedFetch } from '../security/network/guarded-fetch.ts'
import type { CircuitBreaker } from '../services/circuit-breaker.ts'
import type { Pace } from './pace.ts'

/** What is known of a service that searches the web, or reads its pages, before it is loaded. */
export interface WebProviderFacts {
  /** As `web.backend` has it. */
  readonly name: string
  readonly title: string
  /** What must be there for it, for people; absent: it takes no key. */
  readonly needs?: string
  /** It can read pages, too. */
  readonly reads: boolean
  isConfigured(environment: Environment): boolean
  load(): Promise<OpenWebProvider>
}

export type OpenWebProvider = (options: WebProviderOptions) => WebProvider

export interface WebProviderOptions {
  readonly environment: Environment
  readonly breaker: CircuitBreaker
  /** For services that are asked as browsers ask them. */
  readonly web: GuardedFetch
  /** Keeps requests apart that nobody pays for. */
  readonly pace: Pace
}

/** A service that searches the web. Its methods throw `ServiceError`, or the reason of their signal. */
export interface WebProvider {
  /** At most `limit` results, the best one first. */
  search(query: WebQuery, signal: AbortSignal): Promise<readonly SearchHit[]>
  /** Reads pages; each URL is answered once. The service follows redirects as it likes. */
  readonly read?: (urls: readonly string[], signal: AbortSignal) => Promise<readonly PageAnswer[]>
}

export interface WebQuery {
  readonly text: string
  readonly limit: number
}

export interface SearchHit {
  readonly title: string
  readonly url: string
  /** What the page says about it, plain text; may be empty. */
  readonly description: string
}

/** What a service made of a URL. */
export type PageAnswer =
  | {
      readonly type: 'page'
      /** As it was asked for. */
      readonly url: string
      /** Where it came from, after redirects. */
      readonly from: string
      readonly title: string
      /** Markdown. */
      readonly text: string
    }
  | { readonly type: 'failed'; readonly url: string; readonly reason: string }
