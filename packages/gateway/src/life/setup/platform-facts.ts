import type { Environment } from '@hermes/core/agent/context.ts'

/** What a person is asked for to set a platform up; everything that the wizard knows of it. */
export interface PlatformFacts {
  /** As in `config.yaml`. */
  readonly name: string
  /** For people. */
  readonly label: string
  /** What has to be done elsewhere first, in order. */
  readonly steps: readonly string[]
  readonly variables: readonly VariableFact[]
  /** Beginning of its variables for who may speak to it; absent where it has no people. */
  readonly accessPrefix?: string
  /** Asks the service whether it takes what was given. Rejects when `signal` aborts. */
  readonly check?: (values: Environment, options: CheckOptions) => Promise<CheckResult>
}

export interface VariableFact {
  /** In `.env`. */
  readonly name: string
  /** What it is, for people. */
  readonly what: string
  readonly isSecret?: boolean
  readonly isRequired?: boolean
  /** Taken when nothing is given. */
  readonly usual?: string
  /** What is wrong with a value, if anything. */
  readonly problem?: (value: string) => string | undefined
}

export interface CheckOptions {
  /** Where the service's API is, in place of the official one; without a slash at the end. */
  readonly apiRoot?: string
  readonly signal: AbortSignal
}

export type CheckResult =
  /** `account`: who we are there. */
  | { readonly state: 'accepted'; readonly account: string }
  | { readonly state: 'refused'; readonly reason: string }
  /** Nothing is known: it could not be asked. */
  | { readonly state: 'unreachable'; readonly reason: string }
