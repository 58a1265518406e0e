import { ModelError } from '../../model-error.ts'
import type { AwsCredentials } from '../sign.ts'
import { readAwsConfig } from './config-files.ts'
import type { AwsConfig } from './config-files.ts'
import { environmentIdentity } from './environment.ts'
import { identityOf } from './identity.ts'
import type { AwsIdentity } from './identity.ts'
import { containerIdentity, instanceIdentity } from './metadata.ts'
import { processIdentity } from './process.ts'
import { assumeRole, assumeRoleWithToken } from './roles.ts'
import type { Role } from './roles.ts'
import type { AwsSection } from './sections.ts'
import type { AwsSources } from './sources.ts'
import { ssoIdentity } from './sso.ts'

/** How often a profile may name another one as its source. */
const longestChain = 8

/** The identity of a profile in the shared files; undefined where `default` is not there, or says nothing of keys. */
export async function profileIdentity(sources: AwsSources, signal: AbortSignal): Promise<AwsIdentity | undefined> {
  const config = await readAwsConfig(sources.environment)
  const chosen = sources.environment['AWS_PROFILE']?.trim()
  const name = chosen || 'default'
  const found = config.profile(name)
  if (!found) {
    if (chosen) throw new ModelError('not-configured', `There is no AWS profile ${chosen} in ~/.aws/config.`)
    return undefined
  }
  return identityOfProfile({ name, seen: [], config, sources }, signal)
}

interface Wanted {
  readonly name: string
  /** The profiles that named it as their source. */
  readonly seen: readonly string[]
  readonly config: AwsConfig
  readonly sources: AwsSources
}

async function identityOfProfile(wanted: Wanted, signal: AbortSignal): Promise<AwsIdentity | undefined> {
  const { name, config, sources } = wanted
  const profile = config.profile(name)
  if (!profile) throw new ModelError('not-configured', `There is no AWS profile ${name} in ~/.aws/config.`)
  const source = profile.get('source_profile') ?? profile.get('credential_source')
  const role = roleOf(profile, sources)
  // A profile may be its own source: then its keys are meant.
  if (role && source !== undefined && !(source === name && wanted.seen.includes(name))) {
    if (profile.has('mfa_serial')) {
      const message = `The AWS profile ${name} wants a code of a second factor. Get keys for it with the AWS command line, and set them in .env.`
      throw new ModelError('not-configured', message)
    }
    return assumeRole(role, await sourceOf(wanted, profile, signal), sources, signal)
  }
  const keys = identityOf({
    id: profile.get('aws_access_key_id'),
    secret: profile.get('aws_secret_access_key'),
    token: profile.get('aws_session_token'),
  })
  if (keys) return keys
  const tokenFile = profile.get('web_identity_token_file')
  if (role && tokenFile) return assumeRoleWithToken(role, tokenFile, sources, signal)
  const command = profile.get('credential_process')
  if (command) return processIdentity(command, name, sources.environment, signal)
  return ssoOf(name, profile, config, sources, signal)
}

/** The keys with which a role is taken on. */
async function sourceOf(
  { name, seen, config, sources }: Wanted,
  profile: AwsSection,
  signal: AbortSignal,
): Promise<AwsCredentials> {
  const other = profile.get('source_profile')
  if (other !== undefined) {
    const isCircle = seen.includes(other) && other !== name
    if (isCircle || seen.length >= longestChain) {
      throw new ModelError('not-configured', `The AWS profiles ${[...seen, name, other].join(' → ')} go in a circle.`)
    }
    const identity = await identityOfProfile({ name: other, seen: [...seen, name], config, sources }, signal)
    if (identity) return identity.credentials
    throw new ModelError('not-configured', `The AWS profile ${other}, the source of ${name}, has no keys.`)
  }
  const kind = profile.get('credential_source') ?? ''
  const identity = await credentialSources.get(kind.toLowerCase())?.(sources, signal)
  if (identity) return identity.credentials
  throw new ModelError('not-configured', `The AWS profile ${name} takes its keys from ${kind}, which has none.`)
}

type Source = (sources: AwsSources, signal: AbortSignal) => Promise<AwsIdentity | undefined>

const credentialSources: ReadonlyMap<string, Source> = new Map<string, Source>([
  ['environment', async ({ environment }) => environmentIdentity(environment)],
  ['ecscontainer', containerIdentity],
  ['ec2instancemetadata', instanceIdentity],
])

function roleOf(profile: AwsSection, { environment }: AwsSources): Role | undefined {
  const arn = profile.get('role_arn')
  if (!arn) return undefined
  return {
    arn,
    region: regionOf(profile, environment),
    sessionName: profile.get('role_session_name') ?? environment['AWS_ROLE_SESSION_NAME'],
    externalId: profile.get('external_id'),
    durationSeconds: profile.get('duration_seconds'),
  }
}

function regionOf(profile: AwsSection, environment: AwsSources['environment']): string {
  return environment['AWS_REGION'] || environment['AWS_DEFAULT_REGION'] || profile.get('region') || 'us-east-1'
}

async function ssoOf(
  name: string,
  profile: AwsSection,
  config: AwsConfig,
  sources: AwsSources,
  signal: AbortSignal,
): Promise<AwsIdentity | undefined> {
  const [accountId, roleName] = [profile.get('sso_account_id'), profile.get('sso_role_name')]
  if (!accountId || !roleName) return undefined
  const session = profile.get('sso_session')
  const signIn = session === undefined ? profile : config.ssoSession(session)
  const [startUrl, region] = [signIn?.get('sso_start_url'), signIn?.get('sso_region')]
  if (!startUrl || !region) {
    const where = session === undefined ? `profile ${name}` : `sso-session ${session}`
    throw new ModelError('not-configured', `${where} in ~/.aws/config needs sso_start_url and sso_region.`)
  }
  return ssoIdentity({ session, startUrl, region, accountId, roleName, profile: name }, sources, signal)
}
