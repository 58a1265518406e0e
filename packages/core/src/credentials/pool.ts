import type { Clock } from '../agent/clock.ts'
import type { Environment } from '../agent/context.ts'
import type { Home } from '../config/home.ts'
import { type Logger, silentLogger } from '../log/logger.ts'
import type { Redactor } from '../security/redact.ts'
import { type AuthFile, createAuthFile } from './auth-file.ts'
import { createCopilotTokens } from './copilot-token.ts'
import { CredentialError } from './credential-error.ts'
import { type CredentialStatus, statusOf } from './credential-status.ts'
import type { ConfiguredEndpoint } from './endpoints.ts'
import { createFreshGrants, secretOf } from './fresh-grant.ts'
import { createGhToken } from './gh-token.ts'
import type { KeptGrant } from './grant.ts'
import { createKeyMemory } from './key-memory.ts'
import { isOfTheKey, type Lease, type LeaseFailure } from './lease.ts'
import { GrantEndedError } from './oauth/grant-ended.ts'
import { createSendOAuth, type SendOAuth } from './oauth/send.ts'
import { type PooledCredential, poolView } from './pool-view.ts'
import { defaultBaseUrl, type SeedContext, variableBaseUrl } from './seeds.ts'
import { howToSignIn, shortage } from './shortage.ts'
import { type PoolStrategy, pick } from './strategy.ts'
import { createUseCounts } from './use-counts.ts'

export interface CredentialPoolOptions {
  readonly home: Home
  readonly environment: Environment
  readonly clock: Clock
  /** By provider; `fill_first` for the others. */
  readonly strategies?: Readonly<Record<string, PoolStrategy>>
  /** Keys that the configuration holds: see `configuredEndpoints`. */
  readonly endpoints?: readonly ConfiguredEndpoint[]
  /** Providers that the configuration chooses: see `chosenProviders`. */
  readonly chosen?: readonly string[]
  readonly log?: Logger
  readonly redactor?: Redactor
  /** Told what a person should know, once for all processes: a sign-in that ended, a damaged file. */
  readonly onNotice?: (message: string) => void
  readonly random?: () => number
  readonly send?: SendOAuth
}

/** The credentials of a home: which there are, and which one a request gets. Processes share what is known of them. */
export interface CredentialPool extends AsyncDisposable {
  readonly file: AuthFile
  /**
   * Lends a credential that is not cooling, its token fresh: the one with the id `preferred` if it may be used, else as
   * the strategy says. Throws `CredentialError` with code `none`, `cooling`, `sign-in` or `refresh`; when `signal` aborts,
   * its reason.
   */
  acquire(provider: string, signal: AbortSignal, preferred?: string): Promise<Lease>
  /** Whether there is a credential that is or will be of use, one that is cooling included. */
  has(provider: string): Promise<boolean>
  /** The provider's credentials in their order. No network, and nothing is written. */
  list(provider: string): Promise<readonly CredentialStatus[]>
  /** The pool's own view of a provider, for changing it. */
  view(provider: string): Promise<readonly PooledCredential[]>
  /** Writes what has been counted and is not in the file yet. Disposing does so too. */
  save(): Promise<void>
}

export function openCredentialPool(options: CredentialPoolOptions): CredentialPool {
  const { home, environment, clock, strategies = {}, log = silentLogger, redactor, random = Math.random } = options
  const notice = (message: string): void => {
    log.warn({}, message)
    options.onNotice?.(message)
  }
  const now = (): number => clock.now()
  const file = createAuthFile({ home, clock, onNotice: notice })
  const { endpoints = [], chosen = [], send = createSendOAuth(environment) } = options
  const ghToken = createGhToken(environment, now)
  const context: SeedContext = { home, environment, file, now, endpoints, chosen, ghToken }
  const strategyOf = (provider: string): PoolStrategy =>
    (Object.hasOwn(strategies, provider) ? strategies[provider] : undefined) ?? 'fill_first'
  const view = async (provider: string) => poolView(provider, strategyOf(provider), await file.read(), context)
  const grants = createFreshGrants({ home, environment, clock, send })
  const copilotTokens = createCopilotTokens({ file, home, environment, now, send })
  const memory = createKeyMemory({ file, redactor, now })
  const counts = createUseCounts({ file, view, strategyOf, now })

  /** What may be used now, as its strategy sees it. */
  const candidates = (provider: string, credentials: readonly PooledCredential[]) =>
    credentials
      .filter((credential) => ['ok', 'expired'].includes(memory.stateOf(provider, credential).name))
      .map((credential) => ({ credential, ...counts.candidate(provider, credential) }))

  const baseUrlOf = async (provider: string, { entry }: PooledCredential, grant?: Pick<KeptGrant, 'inferenceUrl'>) =>
    (isConfigured(entry.source) ? entry.base_url || undefined : undefined) ??
    variableBaseUrl(provider, context) ??
    (grant?.inferenceUrl || entry.inference_base_url || entry.base_url || undefined) ??
    defaultBaseUrl(provider, entry.access_token, await file.read(), context)

  const onFailure = async (provider: string, credential: PooledCredential, secret: string, failure: LeaseFailure) => {
    if (!isOfTheKey(failure)) return
    if (failure.code === 'auth' && (copilotTokens.refuse(secret) || grants.refuse(provider, credential, secret))) return
    await attempt('A refused key could not be noted', () => memory.rest(provider, credential, failure))
  }

  const lend = (provider: string, credential: PooledCredential, secret: string, baseUrl: string | undefined): Lease => {
    const { id, label, source, auth_type: type } = credential.entry
    redactor?.addKnown([secret])
    let isReported = false
    return {
      provider,
      id,
      label: label || id,
      type,
      source,
      secret,
      baseUrl,
      isResting: () => memory.stateOf(provider, credential).name === 'cooling',
      pause: (ms) => memory.pause(provider, credential, ms),
      report: async (outcome) => {
        if (isReported) return
        isReported = true
        if (outcome === 'ok') counts.wentWell(provider, credential)
        else await onFailure(provider, credential, secret, outcome)
      },
    }
  }

  const acquire = async (provider: string, signal: AbortSignal, preferred?: string): Promise<Lease> => {
    const failures = new Map<string, unknown>()
    for (;;) {
      signal.throwIfAborted()
      const credentials = await view(provider)
      const untried = candidates(provider, credentials).filter(({ id }) => !failures.has(id))
      const wanted = untried.find(({ id }) => id === preferred) ?? pick(strategyOf(provider), untried, random)
      const credential = wanted?.credential
      if (!credential) {
        const states = credentials.map((one) => memory.stateOf(provider, one))
        throw shortage({ provider, states, failures: [...failures.values()] })
      }
      try {
        const grant = await grants.of(provider, credential, signal)
        const own = grant ? secretOf(grant, provider) : credential.entry.access_token
        const exchanged = provider === 'copilot' ? await copilotTokens.of(own, signal) : undefined
        const baseUrl = await baseUrlOf(provider, credential, exchanged ?? grant)
        // While it was renewed, another request may have found it used up.
        if (memory.stateOf(provider, credential).name === 'cooling') continue
        counts.used(provider, credential)
        return lend(provider, credential, exchanged?.secret ?? own, baseUrl)
      } catch (error) {
        signal.throwIfAborted()
        if (error instanceof GrantEndedError) {
          const isNews = await memory.end(provider, credential, error)
          if (isNews) notice(`${error.message} ${howToSignIn(provider)}`)
        } else if (!(error instanceof CredentialError)) throw error
        failures.set(credential.entry.id, error)
      }
    }
  }

  const list = async (provider: string): Promise<readonly CredentialStatus[]> => {
    const credentials = await view(provider)
    const strategy = strategyOf(provider)
    const next = strategy === 'random' ? undefined : pick(strategy, candidates(provider, credentials), random)
    const statuses = credentials.map(async (credential, at) => {
      const { id, requestCount } = counts.candidate(provider, credential)
      const baseUrl = await baseUrlOf(provider, credential)
      const state = memory.stateOf(provider, credential)
      return statusOf(credential.entry, {
        provider,
        index: at + 1,
        state,
        requestCount,
        baseUrl,
        isNext: next?.id === id,
      })
    })
    return Promise.all(statuses)
  }

  /** Bookkeeping is no reason for a request to fail. */
  const attempt = async (what: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      log.warn({ error: error instanceof Error ? error.message : String(error) }, what)
    }
  }
  let saving: Promise<void> | undefined
  const save = (): Promise<void> => attempt('Uses of credentials could not be noted', () => counts.save())

  return {
    file,
    acquire: async (provider, signal, preferred) => {
      const lease = await acquire(provider, signal, preferred)
      // One at a time, and nobody waits for it.
      if (counts.isDue(provider)) saving ??= save().finally(() => (saving = undefined))
      return lease
    },
    has: async (provider) => {
      const credentials = await view(provider)
      return credentials.some((one) => ['ok', 'expired', 'cooling'].includes(memory.stateOf(provider, one).name))
    },
    list,
    view,
    save,
    [Symbol.asyncDispose]: save,
  }
}

/** A key that stands beside an address in the configuration goes to that address. */
function isConfigured(source: string): boolean {
  return source === 'model_config' || source.startsWith('config:')
}
