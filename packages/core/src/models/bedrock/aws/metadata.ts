import { readFile } from 'node:fs/promises'
import { isLoopback } from '../../net/address.ts'
import { ModelError } from '../../model-error.ts'
import { parseFields, text } from '../../wire/json-fields.ts'
import { requiredIdentity } from './identity.ts'
import type { AwsIdentity } from './identity.ts'
import { askAws, refused } from './sources.ts'
import type { AwsAnswer, AwsSources } from './sources.ts'

const limits = { connectMs: 1000, silenceMs: 5000, progressMs: 5000, totalMs: 5000 }

/** Hosts that a container's credentials may come from without encryption, beside this machine itself. */
const containerHosts: ReadonlySet<string> = new Set(['169.254.170.2', '169.254.170.23', '[fd00:ec2::23]'])

/**
 * The role of the container (https://docs.aws.amazon.com/sdkref/latest/guide/feature-container-credentials.html);
 * undefined outside of containers that have one.
 */
export async function containerIdentity(sources: AwsSources, signal: AbortSignal): Promise<AwsIdentity | undefined> {
  const { environment, http, nearHttp } = sources
  const relative = environment['AWS_CONTAINER_CREDENTIALS_RELATIVE_URI']?.trim()
  const full = environment['AWS_CONTAINER_CREDENTIALS_FULL_URI']?.trim()
  if (!relative && !full) return undefined
  const address = relative ? `http://169.254.170.2${relative}` : (full ?? '')
  const url = URL.parse(address)
  const isNear = url !== null && (isLoopback(url.hostname) || containerHosts.has(url.hostname))
  if (url?.protocol !== 'https:' && !isNear) {
    throw new ModelError('not-configured', `AWS_CONTAINER_CREDENTIALS_FULL_URI must be https://, not ${address}.`)
  }
  const authorization = await containerToken(sources)
  const headers = { accept: 'application/json', ...(authorization && { authorization }) }
  const what = "The container's credentials server"
  const answer = await askAws(isNear ? nearHttp : http, what, { method: 'GET', url: address, headers, limits }, signal)
  if (answer.status !== 200) throw refused(what, answer)
  return fromDocument(answer, what)
}

async function containerToken({ environment }: AwsSources): Promise<string | undefined> {
  const file = environment['AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE']?.trim()
  if (!file) return environment['AWS_CONTAINER_AUTHORIZATION_TOKEN']?.trim() || undefined
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (error) {
    throw new ModelError('not-configured', `The container's token ${file} cannot be read.`, { cause: error })
  }
}

/**
 * The role of the machine, by version 2 of the metadata service
 * (https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instance-metadata-security-credentials.html); undefined where
 * this is no such machine, or it has no role.
 */
export async function instanceIdentity(sources: AwsSources, signal: AbortSignal): Promise<AwsIdentity | undefined> {
  const { environment, nearHttp } = sources
  if (environment['AWS_EC2_METADATA_DISABLED']?.trim().toLowerCase() === 'true') return undefined
  const base = (environment['AWS_EC2_METADATA_SERVICE_ENDPOINT']?.trim() || 'http://169.254.169.254').replace(
    /\/+$/,
    '',
  )
  const what = 'The instance metadata service'
  const asked = async (method: 'GET' | 'PUT', path: string, headers: Readonly<Record<string, string>>) =>
    askAws(nearHttp, what, { method, url: `${base}/latest/${path}`, headers, limits }, signal)
  let session: AwsAnswer
  try {
    session = await asked('PUT', 'api/token', { 'x-aws-ec2-metadata-token-ttl-seconds': '300' })
  } catch (error) {
    if (error instanceof ModelError && (error.code === 'network' || error.code === 'timeout')) return undefined
    throw error
  }
  if (session.status !== 200) return undefined
  const headers = { 'x-aws-ec2-metadata-token': session.text.trim() }
  const folder = 'meta-data/iam/security-credentials/'
  const roles = await asked('GET', folder, headers)
  const role = roles.text.split('\n')[0]?.trim()
  if (roles.status !== 200 || !role) return undefined
  const answer = await asked('GET', `${folder}${encodeURIComponent(role)}`, headers)
  if (answer.status !== 200) throw refused(what, answer)
  return fromDocument(answer, what)
}

function fromDocument(answer: AwsAnswer, what: string): AwsIdentity {
  const document = parseFields(answer.text) ?? {}
  const [id, secret, token] = ['AccessKeyId', 'SecretAccessKey', 'Token'].map((name) => text(document[name]))
  return requiredIdentity({ id, secret, token, expiration: text(document['Expiration']) }, what)
}
