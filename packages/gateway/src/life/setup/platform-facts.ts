import type { Environment } from '@hermes/core/agent/context.ts'
import type { Config } from '@hermes/core/config/schema.ts'

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
  /** Who is named in them, where that is not users: `DEVICES` of `MOBILE_ALLOWED_DEVICES`. */
  readonly accessNames?: 'USERS' | 'DEVICES'
  /** What is wrong with how somebody is named in them, if anything; `*` is not asked about. */
  readonly accessProblem?: (person: string) => string | undefined
  /** How people are named in them: `by address`. Default: `by id`. */
  readonly accessBy?: string
  /** A gateway that runs takes it up at its next start alone. */
  readonly holdsAfterRestart?: boolean
  /** Present where phones reach it by a page of ours, whose address is shown as a code to scan. */
  readonly phone?: PhoneFacts
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
  /** Taken when nothing is given; made from what was given before, where it depends on that. */
  readonly usual?: string | ((values: Environment) => string)
  /** Lines to show before it is asked for. */
  readonly notes?: (values: Environment) => readonly string[]
  /** What is wrong with a value, if anything. */
  readonly problem?: (value: string) => string | undefined
}

/** How phones get to the page that the gateway serves. */
export interface PhoneFacts {
  /** Where the address is kept by which phones reach the gateway. */
  readonly addressVariable: string
  /** What the gateway will listen with; a text for people where it would not. */
  read(config: Config, environment: Environment): Promise<PhoneServer | string>
}

export interface PhoneServer {
  /** What the page has to know to be let in. */
  readonly secret: string
  readonly host: string
  readonly port: number
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
