import type { Environment } from '../../agent/context.ts'
import { abortable } from '../../credentials/oauth/abortable.ts'
import { ModelError } from '../model-error.ts'
import { environmentIdentity } from './aws/environment.ts'
import type { AwsIdentity } from './aws/identity.ts'
import { awsSources } from './aws/sources.ts'
import type { AwsSources } from './aws/sources.ts'
import type { AwsCredentials } from './sign.ts'

/**
 * Whom calls are signed as; undefined where nothing on this machine says. Throws `ModelError` where something does and it
 * cannot be used; when `signal` aborts, its reason.
 */
export type AwsIdentities = (signal: AbortSignal) => Promise<AwsCredentials | undefined>

/** Keys are asked for anew when they have this much time left. */
const skewMs = 300_000

/** How long all sources together may take. */
const timeoutMs = 120_000

/**
 * The keys of an AWS account, from the first source that has any, in the order of Amazon's own libraries
 * (https://docs.aws.amazon.com/sdkref/latest/guide/standardized-credentials.html): the environment, a web identity, the
 * shared files' profile with all that it may name, the container, the machine. Keys that end are kept until shortly
 * before they do; others are read anew each time, since other programs change them.
 */
export function createAwsIdentities(environment: Environment, now: () => number = Date.now): AwsIdentities {
  const sources = awsSources(environment, now)
  let kept: AwsIdentity | undefined
  let running: Promise<AwsIdentity | undefined> | undefined

  const find = async (): Promise<AwsIdentity | undefined> => {
    try {
      const found = await firstIdentity(sources, AbortSignal.timeout(timeoutMs))
      kept = found?.expiresAtMs === undefined ? undefined : found
      return found
    } catch (error) {
      // What ends soon still holds for a while.
      const isTransient = error instanceof ModelError && error.isTransient
      if (isTransient && kept?.expiresAtMs !== undefined && kept.expiresAtMs > now()) return kept
      throw error
    } finally {
      running = undefined
    }
  }
  return async (signal) => {
    signal.throwIfAborted()
    if (kept?.expiresAtMs !== undefined && kept.expiresAtMs - now() > skewMs) return kept.credentials
    running ??= find()
    return (await abortable(running, signal))?.credentials
  }
}

async function firstIdentity(sources: AwsSources, signal: AbortSignal): Promise<AwsIdentity | undefined> {
  const { environment } = sources
  const own = environmentIdentity(environment)
  if (own) return own
  const [tokenFile, arn] = [environment['AWS_WEB_IDENTITY_TOKEN_FILE']?.trim(), environment['AWS_ROLE_ARN']?.trim()]
  if (tokenFile && arn) {
    const { assumeRoleWithToken } = await import('./aws/roles.ts')
    const region = environment['AWS_REGION'] || environment['AWS_DEFAULT_REGION'] || 'us-east-1'
    const role = { arn, region, sessionName: environment['AWS_ROLE_SESSION_NAME'] }
    return assumeRoleWithToken(role, tokenFile, sources, signal)
  }
  const { profileIdentity } = await import('./aws/profile.ts')
  const { containerIdentity, instanceIdentity } = await import('./aws/metadata.ts')
  return (
    (await profileIdentity(sources, signal)) ??
    (await containerIdentity(sources, signal)) ??
    (await instanceIdentity(sources, signal))
  )
}
