import { ModelError } from '../../model-error.ts'
import type { AwsCredentials } from '../sign.ts'

/** Whom calls are signed as, and for how long. */
export interface AwsIdentity {
  readonly credentials: AwsCredentials
  /** ms since the epoch; undefined where nobody says: it is asked for anew each time, then. */
  readonly expiresAtMs?: number
}

/** What one source of an identity gives, under whatever names. */
export interface IdentityFields {
  readonly id: string | null | undefined
  readonly secret: string | null | undefined
  readonly token: string | null | undefined
  /** An ISO 8601 text, or ms since the epoch. */
  readonly expiration?: string | number | null | undefined
}

/** The identity that a source gives; undefined where it gives none. */
export function identityOf({ id, secret, token, expiration }: IdentityFields): AwsIdentity | undefined {
  if (!id?.trim() || !secret?.trim()) return undefined
  const expiresAtMs = typeof expiration === 'string' ? Date.parse(expiration) : (expiration ?? NaN)
  return {
    credentials: {
      accessKeyId: id.trim(),
      secretAccessKey: secret.trim(),
      ...(token?.trim() && { sessionToken: token.trim() }),
    },
    ...(Number.isFinite(expiresAtMs) && { expiresAtMs }),
  }
}

/** The identity that a source must give, since it was chosen. */
export function requiredIdentity(fields: IdentityFields, source: string): AwsIdentity {
  const identity = identityOf(fields)
  if (!identity) throw new ModelError('auth', `${source} gave no keys of an AWS account.`)
  return identity
}
