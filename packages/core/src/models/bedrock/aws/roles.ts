import { readFile } from 'node:fs/promises'
import { ModelError } from '../../model-error.ts'
import { signatureHeaders } from '../sign.ts'
import type { AwsCredentials } from '../sign.ts'
import { requiredIdentity } from './identity.ts'
import type { AwsIdentity } from './identity.ts'
import { askAws, endpointOf, refused } from './sources.ts'
import type { AwsSources } from './sources.ts'

/** A role that somebody takes on. */
export interface Role {
  readonly arn: string
  readonly region: string
  readonly sessionName?: string | undefined
  readonly externalId?: string | undefined
  readonly durationSeconds?: string | undefined
}

/** The role, for whoever has other keys (https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html). */
export function assumeRole(
  role: Role,
  as: AwsCredentials,
  sources: AwsSources,
  signal: AbortSignal,
): Promise<AwsIdentity> {
  return askSts('AssumeRole', role, {}, as, sources, signal)
}

/** The role, for whom a token of another service stands in a file: Kubernetes writes such files. */
export async function assumeRoleWithToken(
  role: Role,
  tokenFile: string,
  sources: AwsSources,
  signal: AbortSignal,
): Promise<AwsIdentity> {
  let token: string
  try {
    token = (await readFile(tokenFile, 'utf8')).trim()
  } catch (error) {
    throw new ModelError('not-configured', `The web identity token ${tokenFile} cannot be read.`, { cause: error })
  }
  return askSts('AssumeRoleWithWebIdentity', role, { WebIdentityToken: token }, undefined, sources, signal)
}

async function askSts(
  action: string,
  role: Role,
  fields: Readonly<Record<string, string>>,
  as: AwsCredentials | undefined,
  sources: AwsSources,
  signal: AbortSignal,
): Promise<AwsIdentity> {
  const { environment, http, now } = sources
  const { arn, region, sessionName, externalId, durationSeconds } = role
  const url = `${endpointOf('sts', 'sts', region, environment)}/`
  const body = new URLSearchParams({
    Action: action,
    Version: '2011-06-15',
    RoleArn: arn,
    RoleSessionName: sessionName || `hermes-${now()}`,
    ...(externalId && { ExternalId: externalId }),
    ...(durationSeconds && { DurationSeconds: durationSeconds }),
    ...fields,
  }).toString()
  const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' }
  const request = { method: 'POST' as const, url, headers, body }
  const signature = as && signatureHeaders(request, { credentials: as, region, service: 'sts', nowMs: now() })
  const what = `AWS STS (${arn})`
  const answer = await askAws(http, what, { ...request, headers: { ...headers, ...signature } }, signal)
  if (answer.status !== 200) throw refused(what, answer)
  // Keys and tokens have no characters that XML escapes.
  const element = (name: string): string | undefined =>
    new RegExp(`<${name}>\\s*([^<]*?)\\s*</${name}>`).exec(answer.text)?.[1]
  const [id, secret, token] = [element('AccessKeyId'), element('SecretAccessKey'), element('SessionToken')]
  return requiredIdentity({ id, secret, token, expiration: element('Expiration') }, what)
}
