import type { Clock } from '../../agent/clock.ts'
import type { Environment } from '../../agent/context.ts'
import type { Home } from '../../config/home.ts'
import { TransportError } from '../../models/net/transport-error.ts'
import { CredentialError } from '../credential-error.ts'
import type { GrantStore, KeptGrant } from '../grant.ts'
import { abortable } from './abortable.ts'
import { keyNeedsRenewal, mintAgentKey } from './agent-key.ts'
import { GrantEndedError } from './grant-ended.ts'
import type { OAuthProvider } from './provider.ts'
import { type Renewal, renewToken, tokenIsDue } from './renew-token.ts'
import type { SendOAuth } from './send.ts'
import { serverOf } from './server.ts'
import { openSpentTokens } from './spent-tokens.ts'
import { TokenError } from './tokens.ts'

/** How often a grant may turn out to have changed hands while we waited for it. */
const maxTurns = 5

export interface RenewalRequest {
  readonly provider: OAuthProvider
  readonly store: GrantStore
  /** An access token, or agent key, that the provider refused although its time was not over. */
  readonly rejected?: string | undefined
}

/**
 * Keeps grants fresh. However many callers and processes ask at once, a provider sees one renewal: they take turns by a
 * lock, and who comes second finds the new token where the first one wrote it.
 */
export interface Renewer {
  /** Whether the grant must be renewed before it is used. */
  isDue(grant: KeptGrant, provider: OAuthProvider): boolean
  /**
   * The grant, with tokens that hold for at least two minutes more. Throws `GrantEndedError` when it is over,
   * `CredentialError` with code `refresh` when it could not be renewed now. Aborting ends the wait alone: a renewal that
   * has begun goes on, so that what the provider sends is not lost.
   */
  fresh(request: RenewalRequest, signal: AbortSignal): Promise<KeptGrant>
}

export interface RenewerOptions {
  readonly home: Home
  readonly environment: Environment
  readonly clock: Clock
  readonly send: SendOAuth
}

export function createRenewer({ home, environment, clock, send }: RenewerOptions): Renewer {
  const now = (): number => clock.now()
  const spent = openSpentTokens({ home, environment, now })
  const running = new Map<string, Promise<KeptGrant>>()
  /** Renewed, but not written yet because the disk did not let us. */
  const unwritten = new Map<string, KeptGrant>()
  const minKeyMs = Math.max(60, secondsOf(environment['HERMES_NOUS_MIN_KEY_TTL_SECONDS'], 1800)) * 1000

  const keep = async (store: GrantStore, grant: KeptGrant): Promise<KeptGrant> => {
    unwritten.set(store.key, grant)
    await store.write(grant)
    unwritten.delete(store.key)
    return grant
  }

  const withKey = async (grant: KeptGrant, keyUrl: string, renewal: Renewal): Promise<KeptGrant> => {
    const { provider, store, server, timeoutMs } = renewal
    const request = { provider, keyUrl, server, grant, minMs: minKeyMs, timeoutMs, nowMs: now() }
    return keep(store, { ...grant, ...(await mintAgentKey(send, request)) })
  }

  const renew = async ({ provider, store, rejected }: RenewalRequest, current: KeptGrant, renewal: Renewal) => {
    let grant = current
    if (tokenIsDue(grant, rejected, now())) grant = await keep(store, await renewToken(grant, renewal))
    const { agentKeyUrl } = provider
    if (agentKeyUrl === undefined || !keyNeedsRenewal(grant.agentKey, rejected, now(), minKeyMs)) return grant
    try {
      return await withKey(grant, agentKeyUrl, renewal)
    } catch (error) {
      if (!(error instanceof TokenError) || grant !== current) throw keyFailure(error, grant, store)
      // The access token ended before its time; a new one may do.
      grant = await keep(store, await renewToken(grant, renewal))
    }
    try {
      return await withKey(grant, agentKeyUrl, renewal)
    } catch (error) {
      throw keyFailure(error, grant, store)
    }
  }

  const takeTurns = async (request: RenewalRequest): Promise<KeptGrant> => {
    const { provider, store } = request
    const timeoutMs = timeoutOf(provider, environment)
    for (let attempt = 0; attempt < maxTurns; attempt++) {
      const token = lockToken(await readGrant(store))
      const grant = await spent.locked(
        token,
        async (record) => {
          const left = unwritten.get(store.key)
          if (left) await keep(store, left)
          const current = await readGrant(store)
          // Another token has another lock.
          if (lockToken(current) !== token) return undefined
          const server = serverOf(provider, current.server, environment)
          return renew(request, current, { provider, store, server, record, send, now, timeoutMs })
        },
        // Whoever is before us may need all of its time, for three requests.
        timeoutMs * 4 + 10_000,
      )
      if (grant) return grant
    }
    throw new CredentialError('refresh', `The sign-in of ${store.title} keeps being changed by other programs.`)
  }

  return {
    isDue: (grant, { agentKeyUrl }) =>
      agentKeyUrl === undefined
        ? tokenIsDue(grant, undefined, now())
        : keyNeedsRenewal(grant.agentKey, undefined, now(), minKeyMs),
    fresh: async (request, signal) => {
      signal.throwIfAborted()
      const { key } = request.store
      let renewal = running.get(key)
      if (!renewal) {
        renewal = takeTurns(request).finally(() => running.delete(key))
        running.set(key, renewal)
      }
      return abortable(renewal, signal)
    },
  }
}

async function readGrant(store: GrantStore): Promise<KeptGrant> {
  const grant = await store.read()
  if (!grant) throw new CredentialError('none', `The sign-in of ${store.title} is not there any more.`)
  return grant
}

/** Without a refresh token the access token names the lock: agent keys are still made one at a time. */
function lockToken({ refreshToken, accessToken }: KeptGrant): string {
  return refreshToken ?? accessToken
}

function keyFailure(error: unknown, grant: KeptGrant, store: GrantStore): unknown {
  if (error instanceof TokenError) {
    const message = `The sign-in of ${store.title} gives no key any more (${error.message}).`
    return new GrantEndedError(error.code, lockToken(grant), message, { cause: error })
  }
  if (!(error instanceof TransportError)) return error
  return new CredentialError('refresh', `No key for ${store.title}: ${error.message}`, { cause: error })
}

function timeoutOf({ renewal }: OAuthProvider, environment: Environment): number {
  const text = renewal.timeoutVariable === undefined ? undefined : environment[renewal.timeoutVariable]
  return secondsOf(text, renewal.timeoutSeconds) * 1000
}

function secondsOf(text: string | undefined, fallback: number): number {
  const number = Number(text)
  return text && Number.isFinite(number) && number > 0 ? Math.min(number, 24 * 3600) : fallback
}
