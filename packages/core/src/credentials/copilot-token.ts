import { z } from 'zod'
import type { Environment } from '../agent/context.ts'
import type { Home } from '../config/home.ts'
import { isLoopback } from '../models/net/address.ts'
import { TransportError } from '../models/net/transport-error.ts'
import type { AuthDocument, AuthFile } from './auth-file.ts'
import { CredentialError } from './credential-error.ts'
import { tokenHash } from './entry.ts'
import { abortable } from './oauth/abortable.ts'
import { tokenIsDue } from './oauth/renew-token.ts'
import { safeUrl } from './oauth/send.ts'
import type { OAuthAnswer, SendOAuth } from './oauth/send.ts'
import { openSpentTokens } from './oauth/spent-tokens.ts'

// Surprises: the exchange is no part of GitHub's documented API; the answer names the address that the token is for; apps
// that GitHub does not know as Copilot's get 404, and their tokens are taken by the models' server as they are.

export interface CopilotTokensOptions {
  readonly file: AuthFile
  readonly home: Home
  readonly environment: Environment
  readonly now: () => number
  readonly send: SendOAuth
}

/** A short-lived token of Copilot, and where it is taken. */
export interface CopilotToken {
  readonly secret: string
  readonly inferenceUrl: string | undefined
}

/** What GitHub gives for its tokens. Kept in `auth.json`, so that all processes together ask once. */
export interface CopilotTokens {
  /**
   * The token for the models' server; undefined where the GitHub token itself is sent: the exchange does not know it, or
   * calls go to a server of the person's own. Throws `CredentialError`; when `signal` aborts, its reason.
   */
  of(githubToken: string, signal: AbortSignal): Promise<CopilotToken | undefined>
  /** Remembers that a token was refused before its time. False where another one would be of no use. */
  refuse(secret: string): boolean
}

const timeoutMs = 20_000
/** How long a 404 is believed. */
const directMs = 24 * 3_600_000
/** Tokens that are kept, the last ones. */
const mostKept = 16

/** `token` is absent where the exchange answered 404. `expires_at` is in seconds. */
const keptSchema = z.object({
  token: z.string().min(1).optional(),
  endpoint: z.string().optional(),
  expires_at: z.number(),
})
type KeptToken = z.infer<typeof keptSchema>

const answerSchema = z.object({
  token: z.string().min(1),
  expires_at: z.number().positive(),
  endpoints: z.object({ api: z.string().nullish() }).nullish().catch(undefined),
})

export function createCopilotTokens({ file, home, environment, now, send }: CopilotTokensOptions): CopilotTokens {
  const locks = openSpentTokens({ home, environment, now })
  const running = new Map<string, Promise<KeptToken>>()
  /** By the hash of the GitHub token: what was refused, and what took its place. */
  const refused = new Map<string, { readonly secret: string; readonly replacement: string | undefined }>()
  const owners = new Map<string, string>()
  const isMoved = Boolean(environment['COPILOT_API_BASE_URL']?.trim())

  const isDue = ({ token, expires_at: seconds }: KeptToken, rejected: string | undefined): boolean =>
    tokenIsDue({ accessToken: token ?? '', refreshToken: undefined, expiresAtMs: seconds * 1000 }, rejected, now())

  const exchange = async (githubToken: string): Promise<KeptToken> => {
    const request = {
      method: 'GET' as const,
      url: exchangeUrl(environment),
      encoding: 'json' as const,
      fields: {},
      headers: { authorization: `token ${githubToken}`, 'editor-version': 'hermes-agent/1.0' },
      timeoutMs,
    }
    // No signal of a caller: others may wait for the same answer.
    return toToken(await send(request, AbortSignal.timeout(timeoutMs)), now())
  }
  const renew = (githubToken: string, hash: string, rejected: string | undefined): Promise<KeptToken> =>
    locks.locked(
      githubToken,
      async () => {
        const kept = keptToken(await file.read(), hash)
        if (kept && !isDue(kept, rejected)) return kept
        try {
          const fresh = await exchange(githubToken)
          await file.update((draft) => keep(draft, hash, fresh, now()))
          return fresh
        } catch (error) {
          if (!(error instanceof TransportError) && !(error instanceof CredentialError)) throw error
          const stillHolds = kept && kept.token !== rejected && kept.expires_at * 1000 > now()
          if (stillHolds && isOfTheMoment(error)) return kept
          if (error instanceof CredentialError) throw error
          throw new CredentialError('refresh', `No token for GitHub Copilot: ${error.message}`, { cause: error })
        }
      },
      timeoutMs * 4,
    )

  return {
    of: async (githubToken, signal) => {
      if (isMoved) return undefined
      signal.throwIfAborted()
      const hash = tokenHash(githubToken)
      const rejected = refused.get(hash)
      const wasRejected = rejected?.replacement === undefined ? rejected?.secret : undefined
      let token = keptToken(await file.read(), hash)
      if (!token || isDue(token, wasRejected)) {
        const one = running.get(hash) ?? renew(githubToken, hash, wasRejected).finally(() => running.delete(hash))
        running.set(hash, one)
        token = await abortable(one, signal)
      }
      if (token.token === undefined) return undefined
      if (rejected && wasRejected !== undefined) refused.set(hash, { ...rejected, replacement: token.token })
      remember(owners, token.token, hash)
      return { secret: token.token, inferenceUrl: token.endpoint }
    },
    refuse: (secret) => {
      const hash = owners.get(secret)
      if (hash === undefined || refused.get(hash)?.replacement === secret) return false
      refused.set(hash, { secret, replacement: undefined })
      return true
    },
  }
}

/** GitHub's own API, or that of the company's GitHub that `COPILOT_GH_HOST` names. */
function exchangeUrl(environment: Environment): string {
  const host = environment['COPILOT_GH_HOST']?.trim() || 'github.com'
  const url = safeUrl(host.includes('://') ? host : `https://${host}`)
  return `${isLoopback(url.hostname) ? url.origin : `https://api.${url.host}`}/copilot_internal/v2/token`
}

function toToken({ status, body }: OAuthAnswer, nowMs: number): KeptToken {
  if (status === 404) return { expires_at: (nowMs + directMs) / 1000 }
  const said = typeof body['message'] === 'string' ? `: ${body['message'].slice(0, 300)}` : ''
  if (status === 401) {
    throw new CredentialError('sign-in', `GitHub does not take the token for Copilot any more (status 401${said}).`)
  }
  if (status >= 400 && status < 500 && status !== 429) {
    throw new CredentialError('refused', `GitHub gives no access to Copilot (status ${status}${said}).`)
  }
  const parsed = answerSchema.safeParse(body)
  if (status !== 200 || !parsed.success) {
    throw new CredentialError('refresh', `GitHub gave no token for Copilot just now (status ${status}${said}).`)
  }
  const { token, expires_at: expiresAt, endpoints } = parsed.data
  const api = endpoints?.api ? safeUrl(endpoints.api).href.replace(/\/+$/, '') : undefined
  return { token, expires_at: expiresAt, ...(api !== undefined && { endpoint: api }) }
}

function isOfTheMoment(error: TransportError | CredentialError): boolean {
  return error instanceof TransportError || error.code === 'refresh'
}

const keptSchemas = z.record(z.string(), keptSchema.catch({ expires_at: 0 }))

function keptTokens(document: AuthDocument): Readonly<Record<string, KeptToken>> {
  return keptSchemas.safeParse(document.providers['copilot']?.['api_tokens']).data ?? {}
}

function keptToken(document: AuthDocument, hash: string): KeptToken | undefined {
  const kept = keptTokens(document)
  return Object.hasOwn(kept, hash) ? kept[hash] : undefined
}

function keep(draft: AuthDocument, hash: string, token: KeptToken, nowMs: number): void {
  const others = Object.entries(keptTokens(draft)).filter(
    ([one, { expires_at: seconds }]) => one !== hash && seconds * 1000 > nowMs,
  )
  const tokens = Object.fromEntries([...others, [hash, token] as const].slice(-mostKept))
  draft.providers['copilot'] = { ...draft.providers['copilot'], api_tokens: tokens }
}

function remember(owners: Map<string, string>, secret: string, hash: string): void {
  owners.delete(secret)
  owners.set(secret, hash)
  const [oldest] = owners.keys()
  if (owners.size > mostKept && oldest !== undefined) owners.delete(oldest)
}
