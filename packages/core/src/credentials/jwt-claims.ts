/** The claims of a JSON Web Token, unverified: only for labels and times. Undefined when it is no such token. */
export function jwtClaims(token: string): Record<string, unknown> | undefined {
  const [, payload] = token.split('.')
  if (payload === undefined) return undefined
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'))
    return typeof claims === 'object' && claims !== null ? (claims as Record<string, unknown>) : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
