import type { Environment } from '../../../agent/context.ts'
import { identityOf } from './identity.ts'
import type { AwsIdentity } from './identity.ts'

/** The keys that the environment holds. */
export function environmentIdentity(environment: Environment): AwsIdentity | undefined {
  const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret, AWS_SESSION_TOKEN: token } = environment
  return identityOf({ id, secret, token, expiration: environment['AWS_CREDENTIAL_EXPIRATION'] })
}
