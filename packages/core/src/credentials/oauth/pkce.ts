import { createHash, randomBytes } from 'node:crypto'

/** Proof that who redeems a code is who asked for it: https://www.rfc-editor.org/rfc/rfc7636, method S256. */
export interface Pkce {
  readonly verifier: string
  readonly challenge: string
}

export function createPkce(): Pkce {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

/** A value that only this sign-in knows. */
export function createState(): string {
  return randomBytes(24).toString('base64url')
}
