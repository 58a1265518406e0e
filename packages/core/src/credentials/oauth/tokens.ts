import { z } from 'zod'
import { instantMs } from '../cooldown.ts'
import { CredentialError } from '../credential-error.ts'
import type { Grant } from '../grant.ts'
import type { OAuthAnswer } from './send.ts'

const text = z.string().nullish().catch(undefined)
const seconds = z.coerce.number().positive().optional().catch(undefined)

/** https://www.rfc-editor.org/rfc/rfc6749#section-5.1, with what some providers add. */
const tokenSchema = z.object({
  access_token: z.string().min(1),
  refresh_token: text,
  expires_in: seconds,
  expires_at: z.union([z.string(), z.number()]).nullish().catch(undefined),
  token_type: text,
  scope: text,
  id_token: text,
  inference_base_url: text,
  resource_url: text,
})

/** A grant as the token endpoint gave it. `idToken` is not kept; labels are made from it. */
export interface GrantedTokens {
  readonly grant: Grant
  readonly idToken: string | undefined
}

/** Reads the answer of a token endpoint. Throws `TokenError` when it is an error, `CredentialError` when it is neither. */
export function toTokens(answer: OAuthAnswer, title: string, nowMs: number): GrantedTokens {
  const failure = failureOf(answer)
  if (failure) throw new TokenError(failure.code, failure.description, answer.status)
  const parsed = tokenSchema.safeParse(answer.body)
  if (!parsed.success) {
    throw new CredentialError('refused', `${title} answered without a token (status ${answer.status}).`)
  }
  const token = parsed.data
  const expiresAtMs =
    token.expires_in === undefined ? instantMs(token.expires_at) : Math.round(nowMs + token.expires_in * 1000)
  return {
    grant: {
      accessToken: token.access_token,
      refreshToken: token.refresh_token || undefined,
      expiresAtMs,
      tokenType: token.token_type || undefined,
      scope: token.scope || undefined,
      inferenceUrl: token.inference_base_url || resourceUrl(token.resource_url),
    },
    idToken: token.id_token || undefined,
  }
}

/** Qwen names the host of its API beside the token. */
export function resourceUrl(resource: string | null | undefined): string | undefined {
  if (!resource) return undefined
  const base = (resource.includes('://') ? resource : `https://${resource}`).replace(/\/+$/, '')
  return base.endsWith('/v1') ? base : `${base}/v1`
}

/** The sign-in server said no. `code` is its own word, e.g. `invalid_grant`. */
export class TokenError extends Error {
  override readonly name = 'TokenError'
  readonly code: string
  readonly status: number

  constructor(code: string, description: string, status: number) {
    super(description === '' ? code : `${code}: ${description}`)
    this.code = code
    this.status = status
  }

  /** Whether the grant is over, so that trying again cannot help. */
  get endsGrant(): boolean {
    return endings.has(this.code)
  }
}

const endings: ReadonlySet<string> = new Set([
  'invalid_grant',
  'invalid_token',
  'refresh_token_reused',
  'refresh_token_expired',
  'refresh_token_invalidated',
  'refresh_token_revoked',
])

/** The error in an answer, whichever way it is told: GitHub sends errors with status 200, OpenAI nests them. */
export function failureOf({ status, body }: OAuthAnswer): { code: string; description: string } | undefined {
  const { error, error_description: description, message } = body
  const plain = `status ${status}`
  if (typeof error === 'object' && error !== null) {
    const { code, type, message: nested } = error as Record<string, unknown>
    return { code: word(code, type) ?? plain, description: word(nested) ?? '' }
  }
  if (typeof error === 'string' && error !== '') return { code: error, description: word(description, message) ?? '' }
  if (status < 400) return undefined
  return { code: word(body['code']) ?? plain, description: word(description, message) ?? '' }
}

/** The first text of several values, as a message may carry it: short, and without control characters. */
function word(...values: readonly unknown[]): string | undefined {
  const found = values.find((value) => typeof value === 'string' && value !== '')
  return typeof found === 'string' ? found.slice(0, 300).replace(/\p{Cc}+/gu, ' ') : undefined
}
