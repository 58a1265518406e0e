import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { withFileLock } from '../../../storage/file-lock.ts'
import { writePrivateFile } from '../../../config/private-file.ts'
import { ModelError } from '../../model-error.ts'
import { parseFields } from '../../wire/json-fields.ts'
import { requiredIdentity } from './identity.ts'
import type { AwsIdentity } from './identity.ts'
import { askAws, awsPath, endpointOf, refused } from './sources.ts'
import type { AwsSources } from './sources.ts'

/** A role of an account, for whom `aws sso login` has signed in. */
export interface SsoRole {
  /** Undefined in profiles of the older form. */
  readonly session: string | undefined
  readonly startUrl: string
  readonly region: string
  readonly accountId: string
  readonly roleName: string
  /** For people. */
  readonly profile: string
}

const text = z.string().nullish().catch(undefined)
const tokenSchema = z.looseObject({
  accessToken: z.string().min(1),
  expiresAt: z.string(),
  refreshToken: text,
  clientId: text,
  clientSecret: text,
  registrationExpiresAt: text,
})
type SsoToken = z.infer<typeof tokenSchema>

const renewedSchema = z.object({ accessToken: z.string().min(1), expiresIn: z.number(), refreshToken: text })

const rolesSchema = z.object({
  roleCredentials: z.object({ accessKeyId: text, secretAccessKey: text, sessionToken: text, expiration: z.number() }),
})

/** A token is renewed when it has this much time left. */
const skewMs = 300_000

/**
 * The keys of the role (https://docs.aws.amazon.com/singlesignon/latest/PortalAPIReference/API_GetRoleCredentials.html).
 * Throws `auth` saying how to sign in when the sign-in is over.
 */
export async function ssoIdentity(role: SsoRole, sources: AwsSources, signal: AbortSignal): Promise<AwsIdentity> {
  const { environment, http } = sources
  const { accessToken } = await ssoToken(role, sources, signal)
  const query = new URLSearchParams({ role_name: role.roleName, account_id: role.accountId })
  const url = `${endpointOf('sso', 'portal.sso', role.region, environment)}/federation/credentials?${query.toString()}`
  const what = `AWS IAM Identity Center (profile ${role.profile})`
  const headers = { 'x-amz-sso_bearer_token': accessToken, accept: 'application/json' }
  const answer = await askAws(http, what, { method: 'GET', url, headers }, signal)
  if (answer.status === 401) throw signInAgain(role)
  if (answer.status !== 200) throw refused(what, answer)
  const parsed = rolesSchema.safeParse(parseFields(answer.text))
  if (!parsed.success) throw new ModelError('auth', `${what} gave no keys of an AWS account.`)
  const { accessKeyId: id, secretAccessKey: secret, sessionToken: token, expiration } = parsed.data.roleCredentials
  return requiredIdentity({ id, secret, token, expiration }, what)
}

/** The token of the sign-in, where the AWS command line keeps it; renewed there when it is about to end. */
async function ssoToken(role: SsoRole, sources: AwsSources, signal: AbortSignal): Promise<SsoToken> {
  const name = createHash('sha1')
    .update(role.session ?? role.startUrl)
    .digest('hex')
  const path = awsPath(sources.environment, 'sso', 'cache', `${name}.json`)
  const kept = await readToken(path)
  if (!kept) throw signInAgain(role)
  if (!isDue(kept, sources.now())) return kept
  if (!canRenew(kept, sources.now())) return orSignIn(kept, role, sources.now())
  return withFileLock(
    path,
    async () => {
      // Somebody else may have renewed it while we waited.
      const current = (await readToken(path)) ?? kept
      if (!isDue(current, sources.now())) return current
      const renewed = await renew(current, role, sources, signal)
      if (!renewed) return orSignIn(current, role, sources.now())
      await writePrivateFile(path, `${JSON.stringify(renewed, null, 2)}\n`)
      return renewed
    },
    { timeoutMs: 30_000 },
  )
}

/** Undefined where the sign-in cannot be renewed any more. */
async function renew(
  token: SsoToken,
  { region }: SsoRole,
  { environment, http, now }: AwsSources,
  signal: AbortSignal,
): Promise<SsoToken | undefined> {
  const { clientId, clientSecret, refreshToken } = token
  const url = `${endpointOf('sso-oidc', 'oidc', region, environment)}/token`
  const body = JSON.stringify({ clientId, clientSecret, grantType: 'refresh_token', refreshToken })
  const headers = { 'content-type': 'application/json', accept: 'application/json' }
  const answer = await askAws(http, 'AWS IAM Identity Center', { method: 'POST', url, headers, body }, signal)
  const parsed = renewedSchema.safeParse(parseFields(answer.text))
  if (answer.status !== 200 || !parsed.success) return undefined
  const { accessToken, expiresIn, refreshToken: next } = parsed.data
  const expiresAt = new Date(now() + expiresIn * 1000).toISOString().replace(/\.\d{3}Z$/, 'Z')
  return { ...token, accessToken, expiresAt, refreshToken: next ?? refreshToken }
}

function isDue({ expiresAt }: SsoToken, nowMs: number): boolean {
  return !(Date.parse(expiresAt) - nowMs > skewMs)
}

function canRenew(token: SsoToken, nowMs: number): boolean {
  const { refreshToken, clientId, clientSecret, registrationExpiresAt: until } = token
  return !!refreshToken && !!clientId && !!clientSecret && (!until || Date.parse(until) > nowMs)
}

/** What is due soon still holds for a while. */
function orSignIn(token: SsoToken, role: SsoRole, nowMs: number): SsoToken {
  if (Date.parse(token.expiresAt) > nowMs) return token
  throw signInAgain(role)
}

function signInAgain({ profile }: SsoRole): ModelError {
  return new ModelError(
    'auth',
    `The AWS sign-in of profile ${profile} is over. Run: aws sso login --profile ${profile}`,
  )
}

async function readToken(path: string): Promise<SsoToken | undefined> {
  let content: string
  try {
    content = await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
  const parsed = tokenSchema.safeParse(parseFields(content))
  return parsed.success ? parsed.data : undefined
}
