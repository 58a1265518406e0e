import type { Clock } from '../agent/clock.ts'
import type { Environment } from '../agent/context.ts'
import type { Home } from '../config/home.ts'
import { CredentialError } from './credential-error.ts'
import { entryGrant } from './entry-grant.ts'
import type { KeptGrant } from './grant.ts'
import type { OAuthProvider } from './oauth/provider.ts'
import { oauthProviders } from './oauth/providers.ts'
import { createRenewer } from './oauth/renew.ts'
import type { SendOAuth } from './oauth/send.ts'
import type { PooledCredential } from './pool-view.ts'
import { howToSignIn } from './shortage.ts'

export interface FreshGrantsOptions {
  readonly home: Home
  readonly environment: Environment
  readonly clock: Clock
  readonly send: SendOAuth
}

/** The secrets of credentials that have to be renewed now and then. */
export interface FreshGrants {
  /**
   * The grant of a credential, renewed when that is due or its token was refused; undefined for a plain key. Throws
   * `GrantEndedError`, `CredentialError`, or the reason of `signal`.
   */
  of(provider: string, credential: PooledCredential, signal: AbortSignal): Promise<KeptGrant | undefined>
  /**
   * Remembers that the provider refused a secret before its time, so that it is renewed before its next use. False when
   * that would be of no use: it cannot be renewed, or is itself what the last one was renewed to.
   */
  refuse(provider: string, credential: PooledCredential, secret: string): boolean
}

/** What the provider's models want to see: the key that was made from the token, where there are such keys. */
export function secretOf({ accessToken, agentKey }: KeptGrant, provider: string): string {
  return oauthProviders[provider]?.agentKeyUrl === undefined ? accessToken : (agentKey?.secret ?? '')
}

export function createFreshGrants({ home, environment, clock, send }: FreshGrantsOptions): FreshGrants {
  const renewer = createRenewer({ home, environment, clock, send })
  const refused = new Map<string, { readonly secret: string; readonly replacement: string | undefined }>()

  return {
    of: async (provider, credential, signal) => {
      const { entry, store } = credential
      if (entry.auth_type !== 'oauth') return undefined
      const definition = oauthProviders[provider]
      const grant = entryGrant(entry)
      if (!definition || !store || !grant) return unrenewable(provider, grant, clock.now())
      const key = `${provider}/${entry.id}`
      const secret = secretOf(grant, provider)
      const isRefused = refused.get(key)?.secret === secret
      if (!isRefused && !renewer.isDue(grant, definition)) return grant
      try {
        const fresh = await renewer.fresh(
          { provider: definition, store, rejected: isRefused ? secret : undefined },
          signal,
        )
        if (isRefused) refused.set(key, { secret, replacement: secretOf(fresh, provider) })
        return fresh
      } catch (error) {
        const isOver = isRefused || !holds(grant, definition, clock.now())
        // What is due soon still holds for a while.
        if (isOver || !(error instanceof CredentialError)) throw error
        return grant
      }
    },
    refuse: (provider, { entry, store }, secret) => {
      const key = `${provider}/${entry.id}`
      const canRenew = oauthProviders[provider] !== undefined && store !== undefined && !!entry.refresh_token
      if (!canRenew || refused.get(key)?.replacement === secret) return false
      refused.set(key, { secret, replacement: undefined })
      return true
    },
  }
}

function holds({ expiresAtMs, agentKey }: KeptGrant, { agentKeyUrl }: OAuthProvider, nowMs: number): boolean {
  if (agentKeyUrl === undefined) return expiresAtMs === undefined || expiresAtMs > nowMs
  return agentKey !== undefined && (agentKey.expiresAtMs === undefined || agentKey.expiresAtMs > nowMs)
}

/** A token that nobody here can renew is used until it ends. */
function unrenewable(provider: string, grant: KeptGrant | undefined, nowMs: number): KeptGrant | undefined {
  if (grant?.expiresAtMs === undefined || grant.expiresAtMs > nowMs) return grant
  throw new CredentialError('sign-in', `The sign-in to ${provider} has expired. ${howToSignIn(provider)}`)
}
