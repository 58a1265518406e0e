import { TransportError } from '../../models/net/transport-error.ts'
import { CredentialError } from '../credential-error.ts'
import type { GrantStore, KeptGrant } from '../grant.ts'
import { GrantEndedError } from './grant-ended.ts'
import type { OAuthProvider } from './provider.ts'
import type { SendOAuth } from './send.ts'
import { onServer } from './server.ts'
import type { TokenRecord } from './spent-tokens.ts'
import { TokenError, toTokens } from './tokens.ts'

/** A token is renewed when it has this much time left, so that no request begins with one that is about to end. */
const renewalSkewMs = 120_000

/** What one renewal works with, while the lock of its grant is held. */
export interface Renewal {
  readonly provider: OAuthProvider
  readonly store: GrantStore
  /** The sign-in server, when it is not the provider's own. */
  readonly server: string | undefined
  readonly record: TokenRecord
  readonly send: SendOAuth
  readonly now: () => number
  readonly timeoutMs: number
}

/** Whether an access token is over, about to be, or was refused before its time. */
export function tokenIsDue(grant: KeptGrant, rejected: string | undefined, nowMs: number): boolean {
  if (rejected !== undefined && grant.accessToken === rejected) return true
  return grant.expiresAtMs !== undefined && grant.expiresAtMs - nowMs <= renewalSkewMs
}

/**
 * Trades the refresh token for new tokens, which the caller must keep before it uses them. Throws `GrantEndedError` when
 * the grant is over, `CredentialError` with code `refresh` when it could not be renewed now.
 */
export async function renewToken(grant: KeptGrant, renewal: Renewal): Promise<KeptGrant> {
  const { provider, store, record, now } = renewal
  const token = grant.refreshToken
  if (!token) {
    throw new GrantEndedError('no-refresh-token', grant.accessToken, `The sign-in of ${store.title} has expired.`)
  }
  if (await record.has(token)) {
    const why = 'was cut off while it was being renewed, or another copy of it was renewed'
    throw new GrantEndedError('interrupted', token, `The sign-in of ${store.title} ${why}.`)
  }
  await record.add(token)
  try {
    const answer = await ask(grant, token, renewal)
    const { grant: renewed } = toTokens(answer, provider.title, now())
    const next = renewed.refreshToken ?? token
    // Some providers leave the refresh token as it is: then it is not spent.
    if (next === token) await record.remove(token)
    return { ...grant, expiresAtMs: undefined, ...present(renewed), refreshToken: next }
  } catch (error) {
    return afterFailure(error, token, renewal)
  }
}

function ask(grant: KeptGrant, token: string, { provider, server, send, timeoutMs }: Renewal) {
  const request = {
    url: onServer(provider.tokenUrl, server),
    encoding: provider.encoding,
    fields: {
      grant_type: 'refresh_token',
      refresh_token: token,
      client_id: grant.clientId ?? provider.clientId,
    },
    headers: provider.refreshHeader === undefined ? {} : { [provider.refreshHeader]: token },
    ...(grant.tls && { tls: grant.tls }),
    timeoutMs,
  }
  // No signal of a caller: an answer that nobody reads any more would be lost.
  return send(request, AbortSignal.timeout(timeoutMs))
}

/** What the provider said; what it did not say again still holds. */
function present(grant: KeptGrant): Partial<KeptGrant> {
  return Object.fromEntries(Object.entries(grant).filter(([, value]) => value !== undefined))
}

/** The grant that another program has renewed meanwhile; throws when there is none. */
async function afterFailure(
  error: unknown,
  token: string,
  { provider, store, record, now }: Renewal,
): Promise<KeptGrant> {
  const ends = error instanceof TokenError && error.endsGrant
  // An answer that was lost on the way leaves it open whether the token is spent; trying again is the only way to know.
  if (!ends) await record.remove(token)
  const isKnown = error instanceof TokenError || error instanceof TransportError || error instanceof CredentialError
  if (!isKnown) throw error
  // Programs that do not know our lock share some of these grants.
  const current = await store.read()
  if (current && current.refreshToken !== token && !tokenIsDue(current, undefined, now())) return current
  if (ends) {
    const message = `${provider.title} ended the sign-in of ${store.title} (${error.message}).`
    throw new GrantEndedError(error.code, token, message, { cause: error })
  }
  const message = `The sign-in of ${store.title} could not be renewed: ${error.message}`
  throw new CredentialError('refresh', message, { cause: error })
}
