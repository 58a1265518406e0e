import { CredentialError } from '../credential-error.ts'
import type { FlowContext } from './flow.ts'
import { type GrantedTokens, TokenError, toTokens } from './tokens.ts'

export interface CodeToExchange {
  readonly code: string
  readonly verifier: string
  /** The one that the code was asked for with. */
  readonly redirectUrl: string
  readonly state?: string
}

/** Trades an authorization code for tokens: https://www.rfc-editor.org/rfc/rfc6749#section-4.1.3 */
export async function exchangeCode(
  { code, verifier, redirectUrl, state }: CodeToExchange,
  { provider, clientId, now, at, post }: FlowContext,
  signal: AbortSignal,
): Promise<GrantedTokens> {
  const answer = await post(
    {
      url: at(provider.tokenUrl),
      encoding: provider.encoding,
      fields: {
        grant_type: 'authorization_code',
        code,
        client_id: clientId,
        redirect_uri: redirectUrl,
        code_verifier: verifier,
        ...(state !== undefined && { state }),
      },
    },
    signal,
  )
  try {
    return toTokens(answer, provider.title, now())
  } catch (error) {
    if (!(error instanceof TokenError)) throw error
    throw new CredentialError('refused', `${provider.title} did not take the code: ${error.message}`, { cause: error })
  }
}
