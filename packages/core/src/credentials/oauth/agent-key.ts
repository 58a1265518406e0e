import { z } from 'zod'
import { instantMs } from '../cooldown.ts'
import { CredentialError } from '../credential-error.ts'
import type { AgentKey, KeptGrant } from '../grant.ts'
import type { OAuthProvider } from './provider.ts'
import { onServer } from './server.ts'
import type { SendOAuth } from './send.ts'
import { failureOf, TokenError } from './tokens.ts'

const keySchema = z.object({
  api_key: z.string().min(1),
  key_id: z.string().nullish().catch(undefined),
  expires_in: z.coerce.number().positive().optional().catch(undefined),
  expires_at: z.union([z.string(), z.number()]).nullish().catch(undefined),
  reused: z.boolean().nullish().catch(undefined),
  inference_base_url: z.string().nullish().catch(undefined),
})

export interface MintRequest {
  readonly provider: OAuthProvider
  readonly keyUrl: string
  /** The sign-in server, when it is not the provider's own. */
  readonly server: string | undefined
  readonly grant: KeptGrant
  /** How long the key must hold at least. */
  readonly minMs: number
  readonly timeoutMs: number
  readonly nowMs: number
}

/**
 * Asks for a short-lived key for the model's server. Throws `TokenError` when the access token is refused,
 * `CredentialError` with code `refused` when there is no key for another reason, and what `send` throws.
 */
export async function mintAgentKey(
  send: SendOAuth,
  { provider, keyUrl, server, grant, minMs, timeoutMs, nowMs }: MintRequest,
): Promise<Pick<KeptGrant, 'agentKey' | 'inferenceUrl'>> {
  const answer = await send(
    {
      url: onServer(keyUrl, server),
      encoding: 'json',
      fields: { min_ttl_seconds: Math.round(minMs / 1000) },
      headers: { authorization: `Bearer ${grant.accessToken}` },
      tls: grant.tls,
      timeoutMs,
    },
    AbortSignal.timeout(timeoutMs),
  )
  const failure = failureOf(answer)
  if (failure) {
    const refusal = new TokenError(failure.code, failure.description, answer.status)
    if (refusal.endsGrant || answer.status === 401) throw refusal
    throw new CredentialError('refused', `${provider.title} gave no key: ${refusal.message}`, { cause: refusal })
  }
  const parsed = keySchema.safeParse(answer.body)
  if (!parsed.success) throw new CredentialError('refused', `${provider.title} answered without a key.`)
  const {
    api_key: secret,
    key_id: id,
    expires_in: seconds,
    expires_at: at,
    reused,
    inference_base_url: url,
  } = parsed.data
  const expiresAtMs = instantMs(at) ?? (seconds === undefined ? undefined : nowMs + seconds * 1000)
  return {
    agentKey: {
      secret,
      id: id ?? undefined,
      expiresAtMs,
      lifetimeMs: expiresAtMs === undefined ? undefined : expiresAtMs - nowMs,
      reused: reused ?? undefined,
    },
    inferenceUrl: url?.replace(/\/+$/, '') || grant.inferenceUrl,
  }
}

/** Whether a key must be made: there is none, it was refused, or it holds for less than `minMs` more. */
export function keyNeedsRenewal(
  key: AgentKey | undefined,
  rejected: string | undefined,
  nowMs: number,
  minMs: number,
): boolean {
  if (!key || key.secret === rejected) return true
  if (key.expiresAtMs === undefined) return false
  // A key that lives shorter than we like from the start is used for half of its life.
  const enoughMs = Math.min(minMs, (key.lifetimeMs ?? Infinity) / 2)
  return key.expiresAtMs - nowMs < enoughMs
}
