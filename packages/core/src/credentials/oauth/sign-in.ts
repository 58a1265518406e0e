import type { Clock } from '../../agent/clock.ts'
import type { Environment } from '../../agent/context.ts'
import { sleep } from '../../models/retry.ts'
import { CredentialError } from '../credential-error.ts'
import { jwtClaims } from '../jwt-claims.ts'
import type { KeptGrant } from '../grant.ts'
import { browserFlow } from './browser-flow.ts'
import { deviceCodeExchangeFlow } from './device-code-exchange-flow.ts'
import { deviceFlow } from './device-flow.ts'
import type { FlowContext, SignInFace } from './flow.ts'
import type { OAuthProvider } from './provider.ts'
import { createSendOAuth, type SendOAuth, type Tls } from './send.ts'
import { onServer, serverOf } from './server.ts'
import type { GrantedTokens } from './tokens.ts'

export interface SignInOptions {
  readonly provider: OAuthProvider
  readonly face: SignInFace
  readonly environment: Environment
  readonly clock: Clock
  /** Another sign-in server. */
  readonly server?: string | undefined
  /** Another address for the models. */
  readonly inferenceUrl?: string | undefined
  readonly clientId?: string | undefined
  readonly scope?: string | undefined
  readonly tls?: Tls | undefined
  /** How long the person may take altogether; as long as the code holds when absent. */
  readonly timeoutMs?: number | undefined
  readonly send?: SendOAuth
  readonly sleep?: typeof sleep
}

export interface SignedIn {
  readonly grant: KeptGrant
  /** Who signed in, where the provider tells. */
  readonly account: string | undefined
}

/** Time limit of one request of a sign-in. */
const requestMs = 15_000
/** Longest that a sign-in takes when nothing else says: as long as most codes hold. */
const longestMs = 15 * 60_000

/**
 * Signs a person in. Nothing is kept: see `keepSignIn`. Throws `CredentialError` (`denied`, `timeout`, `state-mismatch`,
 * `refused`), `TransportError` where the server cannot be reached, and the reason of `signal`.
 */
export async function signIn(options: SignInOptions, signal: AbortSignal): Promise<SignedIn> {
  const { provider, face, environment, clock, tls, timeoutMs = longestMs } = options
  const server = serverOf(provider, options.server, environment)
  const send = options.send ?? createSendOAuth(environment)
  const clientId = options.clientId ?? provider.clientId
  const context: FlowContext = {
    provider,
    face,
    clientId,
    scope: options.scope ?? provider.scope,
    now: () => clock.now(),
    sleep: options.sleep ?? sleep,
    at: (url) => onServer(url, server),
    post: (request, abort) => send({ ...request, timeoutMs: requestMs, ...(tls && { tls }) }, abort),
  }
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  try {
    const { grant, idToken } = await runFlow(context, limit)
    return {
      grant: {
        ...grant,
        ...(clientId !== provider.clientId && { clientId }),
        ...(server !== undefined && { server }),
        ...(options.inferenceUrl !== undefined && { inferenceUrl: options.inferenceUrl }),
        ...(tls && { tls }),
      },
      account: accountOf(idToken) ?? accountOf(grant.accessToken),
    }
  } catch (error) {
    signal.throwIfAborted()
    if (!limit.aborted) throw error
    const seconds = Math.round(timeoutMs / 1000)
    throw new CredentialError('timeout', `Nobody signed in to ${provider.title} within ${seconds} s.`, { cause: error })
  }
}

function runFlow(context: FlowContext, signal: AbortSignal): Promise<GrantedTokens> {
  const { flow } = context.provider
  if (flow.type === 'device') return deviceFlow(flow, context, signal)
  if (flow.type === 'browser') return browserFlow(flow, context, signal)
  return deviceCodeExchangeFlow(flow, context, signal)
}

function accountOf(token: string | undefined): string | undefined {
  const claims = token === undefined ? undefined : jwtClaims(token)
  const named = [claims?.['email'], claims?.['preferred_username'], claims?.['upn']]
  return named.find((name): name is string => typeof name === 'string' && name !== '')
}
