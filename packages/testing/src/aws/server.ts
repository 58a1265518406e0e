import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { accessKeyId, isSigned } from '../scripted-model/converse/signature.ts'
import { describeModels } from './models.ts'
import type { AwsModels } from './models.ts'

export interface AwsServerOptions {
  /** The secret of the account that may take on roles, and list models. */
  readonly secretAccessKey?: string
  /** How long the keys hold that are given out. Default 3600. */
  readonly ttlSeconds?: number
  readonly ssoTokens?: readonly string[]
  /** The refresh token of the sign-in; the renewed token is `sso-renewed`. */
  readonly ssoRefreshToken?: string
  readonly containerToken?: string
  /** The role of the machine; none where absent. */
  readonly instanceRole?: string
  readonly models?: AwsModels
  readonly now?: () => number
}

export interface AwsRequest {
  readonly method: string
  readonly path: string
  readonly fields: Readonly<Record<string, string>>
}

/** Those of Amazon's services that give keys of an account or list models, all on one port of loopback. */
export interface AwsServer extends AsyncDisposable {
  readonly url: string
  readonly requests: readonly AwsRequest[]
  /** Answers the next request so. */
  failNext(status: number, body: string): void
}

interface Answer {
  readonly status: number
  readonly body: string
}

/** Keys that end are named by where they come from, e.g. `AKIDSSO`. */
export async function startAwsServer(options: AwsServerOptions = {}): Promise<AwsServer> {
  const { ttlSeconds = 3600, now = Date.now } = options
  const requests: AwsRequest[] = []
  const failures: Answer[] = []
  const expiresAtMs = (): number => now() + ttlSeconds * 1000
  const iso = (): string => new Date(expiresAtMs()).toISOString().replace(/\.\d{3}Z$/, 'Z')

  const sts = async (request: IncomingMessage, body: string, fields: AwsRequest['fields']): Promise<Answer> => {
    const action = fields['Action'] ?? ''
    const isByToken = action === 'AssumeRoleWithWebIdentity'
    const plain = { method: 'POST', url: request.url ?? '', headers: request.headers, body }
    const isKnown = isByToken
      ? fields['WebIdentityToken'] === 'web-identity-token'
      : await isSigned(plain, options.secretAccessKey ?? '', 'sts')
    if (!isKnown) {
      const error =
        '<Error><Type>Sender</Type><Code>AccessDenied</Code><Message>Not allowed to assume it</Message></Error>'
      return { status: 403, body: `<ErrorResponse>${error}</ErrorResponse>` }
    }
    const keys = `<AccessKeyId>AKID${isByToken ? 'WEB' : 'ROLE'}</AccessKeyId><SecretAccessKey>role-secret</SecretAccessKey><SessionToken>role-token==</SessionToken><Expiration>${iso()}</Expiration>`
    const result = `<${action}Result><Credentials>${keys}</Credentials></${action}Result>`
    return {
      status: 200,
      body: `<${action}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/">${result}</${action}Response>`,
    }
  }
  const document = (name: string): Answer => ({
    status: 200,
    body: JSON.stringify({
      Code: 'Success',
      AccessKeyId: `AKID${name}`,
      SecretAccessKey: `${name.toLowerCase()}-secret`,
      Token: `${name.toLowerCase()}-token`,
      Expiration: iso(),
    }),
  })
  const sso = (request: IncomingMessage): Answer => {
    const token = String(request.headers['x-amz-sso_bearer_token'])
    if (![...(options.ssoTokens ?? []), 'sso-renewed'].includes(token)) {
      return { status: 401, body: JSON.stringify({ message: 'Session token not found or invalid' }) }
    }
    const roleCredentials = {
      accessKeyId: 'AKIDSSO',
      secretAccessKey: 'sso-secret',
      sessionToken: 'sso-session-token',
      expiration: expiresAtMs(),
    }
    return { status: 200, body: JSON.stringify({ roleCredentials }) }
  }
  const oidc = (fields: AwsRequest['fields']): Answer => {
    if (fields['refreshToken'] !== options.ssoRefreshToken) {
      return { status: 400, body: JSON.stringify({ error: 'invalid_grant' }) }
    }
    const renewed = { accessToken: 'sso-renewed', expiresIn: 3600, refreshToken: 'next', tokenType: 'Bearer' }
    return { status: 200, body: JSON.stringify(renewed) }
  }
  const metadata = (request: IncomingMessage, path: string): Answer => {
    const { instanceRole: role } = options
    if (role === undefined) return { status: 404, body: '' }
    if (path === '/latest/api/token') {
      const isAsked = request.method === 'PUT' && request.headers['x-aws-ec2-metadata-token-ttl-seconds'] !== undefined
      return isAsked ? { status: 200, body: 'metadata-session' } : { status: 400, body: '' }
    }
    if (request.headers['x-aws-ec2-metadata-token'] !== 'metadata-session') return { status: 401, body: '' }
    const folder = '/latest/meta-data/iam/security-credentials/'
    if (path === folder) return { status: 200, body: `${role}\n` }
    return path === `${folder}${role}` ? document('INSTANCE') : { status: 404, body: '' }
  }
  const answerTo = async (request: IncomingMessage, body: string, fields: AwsRequest['fields']): Promise<Answer> => {
    const url = request.url ?? ''
    const [path = ''] = url.split('?')
    if (path === '/' && request.method === 'POST') return sts(request, body, fields)
    if (path === '/federation/credentials') return sso(request)
    if (path === '/token') return oidc(fields)
    if (path === '/container') {
      const isKnown = request.headers.authorization === options.containerToken
      return isKnown ? document('CONTAINER') : { status: 403, body: JSON.stringify({ message: 'not this container' }) }
    }
    if (path.startsWith('/latest/')) return metadata(request, path)
    const plain = { method: 'GET', url, headers: request.headers, body: '' }
    const isAllowed = options.models && (await isSigned(plain, options.secretAccessKey ?? ''))
    if (!options.models || !isAllowed) return { status: 403, body: JSON.stringify({ message: 'not allowed' }) }
    const listed = describeModels(url, options.models)
    return listed === undefined ? { status: 404, body: '' } : { status: 200, body: JSON.stringify(listed) }
  }

  const server = createServer((request, response) => {
    const respond = async (): Promise<void> => {
      const body = await text(request)
      const fields = fieldsOf(request, body)
      requests.push({ method: request.method ?? '', path: request.url ?? '', fields })
      const answer = failures.shift() ?? (await answerTo(request, body, fields))
      response.writeHead(answer.status).end(answer.body)
    }
    respond().catch((error: unknown) => response.writeHead(500).end(String(error)))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    failNext: (status, body) => void failures.push({ status, body }),
    [Symbol.asyncDispose]: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

export { accessKeyId }

function fieldsOf(request: IncomingMessage, body: string): AwsRequest['fields'] {
  if (body === '') return Object.fromEntries(new URL(request.url ?? '', 'http://localhost').searchParams)
  if (body.startsWith('{')) return JSON.parse(body) as Record<string, string>
  return Object.fromEntries(new URLSearchParams(body))
}
