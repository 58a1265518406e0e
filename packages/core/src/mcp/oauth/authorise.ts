import type { AuthOptions, AuthResult, OAuthClientProvider } from '@modelcontextprotocol/client'
import { within } from '../within.ts'

/**
 * One step of a sign-in or a renewal. Older servers call themselves another path of their own origin than the one they
 * are found at, which is let pass: whoever has the origin has both.
 */
export async function authorise(
  provider: OAuthClientProvider,
  options: AuthOptions,
  signal: AbortSignal,
): Promise<AuthResult> {
  const { auth, IssuerMismatchError } = await import('@modelcontextprotocol/client')
  try {
    return await within(auth(provider, options), signal)
  } catch (error) {
    if (!(error instanceof IssuerMismatchError) || error.kind !== 'metadata') throw error
    const [expected, received] = [error.expected, error.received].map((url) => URL.parse(url ?? '')?.origin)
    if (expected === undefined || expected !== received) throw error
    return within(auth(provider, { ...options, skipIssuerMetadataValidation: true }), signal)
  }
}
