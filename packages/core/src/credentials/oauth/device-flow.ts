import { z } from 'zod'
import { CredentialError } from '../credential-error.ts'
import type { FlowContext } from './flow.ts'
import { createPkce } from './pkce.ts'
import { codeEnded, poll, type Polled } from './poll.ts'
import type { SignInFlow } from './provider.ts'
import { failureOf, type GrantedTokens, TokenError, toTokens } from './tokens.ts'

/** https://www.rfc-editor.org/rfc/rfc8628#section-3.2 */
const codeSchema = z.object({
  device_code: z.string().min(1),
  user_code: z.string().min(1),
  verification_uri: z.string().min(1),
  verification_uri_complete: z.string().nullish().catch(undefined),
  expires_in: z.coerce.number().positive().catch(900),
  interval: z.coerce.number().min(0).catch(5),
})

/** Shows a code and waits until the person has typed it in a browser: https://www.rfc-editor.org/rfc/rfc8628 */
export async function deviceFlow(
  flow: Extract<SignInFlow, { type: 'device' }>,
  context: FlowContext,
  signal: AbortSignal,
): Promise<GrantedTokens> {
  const { provider, face, clientId, scope, now, at } = context
  const pkce = flow.pkce ? createPkce() : undefined
  const answer = await context.post(
    {
      url: at(flow.codeUrl),
      encoding: 'form',
      fields: {
        client_id: clientId,
        scope,
        ...(pkce && { code_challenge: pkce.challenge, code_challenge_method: 'S256' }),
      },
    },
    signal,
  )
  const failure = failureOf(answer)
  if (failure) throw refusedCode(provider.title, `${failure.code} ${failure.description}`.trim())
  const parsed = codeSchema.safeParse(answer.body)
  if (!parsed.success) throw refusedCode(provider.title, 'the answer has no code')
  const code = parsed.data
  const expiresAtMs = now() + code.expires_in * 1000
  face.show({ url: code.verification_uri, code: code.user_code })
  face.openBrowser?.(code.verification_uri_complete || code.verification_uri)
  const ask = async (): Promise<Polled<GrantedTokens>> => {
    const token = await context.post(
      {
        url: at(provider.tokenUrl),
        encoding: 'form',
        fields: {
          grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
          device_code: code.device_code,
          client_id: clientId,
          ...(pkce && { code_verifier: pkce.verifier }),
        },
      },
      signal,
    )
    try {
      return { type: 'done', value: toTokens(token, provider.title, now()) }
    } catch (error) {
      if (error instanceof TokenError) return waiting(error, provider.title)
      throw error
    }
  }
  return poll(ask, { intervalSeconds: code.interval, expiresAtMs }, context, signal)
}

/** What an error means for someone who waits: https://www.rfc-editor.org/rfc/rfc8628#section-3.5 */
function waiting(error: TokenError, title: string): Polled<never> {
  if (error.code === 'authorization_pending') return { type: 'pending' }
  // Servers that are too busy say so with a status alone.
  if (error.code === 'slow_down' || error.status === 429) return { type: 'slower' }
  if (error.status >= 500) return { type: 'pending' }
  if (error.code === 'expired_token') throw codeEnded(title)
  if (error.code === 'access_denied') {
    throw new CredentialError('denied', `The sign-in to ${title} was declined.`, { cause: error })
  }
  throw new CredentialError('refused', `${title} did not let you in: ${error.message}`, { cause: error })
}

function refusedCode(title: string, why: string): CredentialError {
  return new CredentialError('refused', `${title} gave no code to sign in with: ${why}`)
}
