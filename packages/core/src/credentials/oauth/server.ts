import type { Environment } from '../../agent/context.ts'
import type { OAuthProvider } from './provider.ts'
import { safeUrl } from './send.ts'

/**
 * The sign-in server to use in place of the provider's own: `wanted` (a flag, or what the grant was made with), else the
 * environment's. Undefined: the provider's own. Throws `CredentialError` for an address that may not be used.
 */
export function serverOf(
  provider: OAuthProvider,
  wanted: string | null | undefined,
  environment: Environment,
): string | undefined {
  const fromEnvironment = provider.serverVariables.map((name) => environment[name]?.trim()).find(Boolean)
  const text = wanted?.trim() || fromEnvironment
  if (!text) return undefined
  // A bare host name, as GitHub's variable has it.
  const url = safeUrl(text.includes('://') ? text : `https://${text}`)
  return url.href.replace(/\/+$/, '')
}

/** An address of the provider, on the server that replaces it if one does. */
export function onServer(url: string, server: string | undefined): string {
  if (server === undefined) return url
  const { pathname, search } = new URL(url)
  return `${server}${pathname}${search}`
}
