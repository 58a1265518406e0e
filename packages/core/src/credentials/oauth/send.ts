import type { Agent, ClientRequest, IncomingMessage } from 'node:http'
import { readFileSync } from 'node:fs'
import type { Environment } from '../../agent/context.ts'
import { isLoopback } from '../../models/net/address.ts'
import { asTransportError, TransportError } from '../../models/net/transport-error.ts'
import { CredentialError } from '../credential-error.ts'
import type { JsonRecord } from '../auth-file.ts'

/** Largest answer of a sign-in server that is read, bytes. */
const maxAnswerBytes = 1024 * 1024

/** How the connection to a sign-in server is checked. */
export interface Tls {
  /** Take any certificate. */
  readonly insecure?: boolean
  /** File with the certificates to trust, PEM. */
  readonly caBundle?: string
}

/** One request to a sign-in server. */
export interface OAuthRequest {
  /** `GET` sends no fields. Default `POST`. */
  readonly method?: 'GET' | 'POST'
  readonly url: string
  readonly encoding: 'form' | 'json'
  readonly fields: Readonly<Record<string, string | number>>
  readonly headers?: Readonly<Record<string, string>>
  readonly tls?: Tls
  readonly timeoutMs: number
}

/** What it answered: any status, with a JSON object for its body. */
export interface OAuthAnswer {
  readonly status: number
  readonly body: JsonRecord
}

/**
 * Makes one request. Throws `TransportError` where there was no answer, `CredentialError` with code `refused` where it
 * is no JSON object or the address may not be used, and the reason of `signal`.
 */
export type SendOAuth = (request: OAuthRequest, signal: AbortSignal) => Promise<OAuthAnswer>

/** Sends over HTTPS (plain HTTP only to this machine), by the environment's proxy and certificates. */
export function createSendOAuth(environment: Environment): SendOAuth {
  return async (request, signal) => {
    signal.throwIfAborted()
    const url = safeUrl(request.url)
    const limit = AbortSignal.any([signal, AbortSignal.timeout(request.timeoutMs)])
    try {
      return await exchange(request, url, environment, limit)
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof CredentialError) throw error
      if (limit.aborted) {
        throw new TransportError('timeout', `${url.host} did not answer within ${request.timeoutMs / 1000} s`)
      }
      throw asTransportError(error, url.host)
    }
  }
}

/** Tokens travel encrypted, or not at all beyond this machine. Throws `CredentialError` with code `refused`. */
export function safeUrl(text: string): URL {
  const url = URL.parse(text)
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname))) return url
  throw new CredentialError('refused', `${text} cannot be used to sign in: an https:// address is needed.`)
}

async function exchange(
  { method = 'POST', fields, encoding, headers, tls }: OAuthRequest,
  url: URL,
  environment: Environment,
  signal: AbortSignal,
): Promise<OAuthAnswer> {
  const body = method === 'GET' ? undefined : bodyOf(fields, encoding)
  // `import` of `node:https` would load all of undici, for one of its exports.
  const { request: open } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http')
  const request = open(url, {
    method,
    agent: agentFor(url, tls, environment),
    signal,
    headers: {
      accept: 'application/json',
      ...(body !== undefined && {
        'content-type': encoding === 'json' ? 'application/json' : 'application/x-www-form-urlencoded',
        'content-length': String(Buffer.byteLength(body)),
      }),
      'user-agent': 'hermes-agent',
      ...headers,
    },
  })
  const response = await responseOf(request, body)
  const text = await textOf(response, url.host)
  return { status: response.statusCode ?? 0, body: parse(text, url.host, response.statusCode ?? 0) }
}

function bodyOf(fields: OAuthRequest['fields'], encoding: OAuthRequest['encoding']): string {
  return encoding === 'json' ? JSON.stringify(fields) : new URLSearchParams(toText(fields)).toString()
}

function toText(fields: OAuthRequest['fields']): Record<string, string> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]))
}

/** A new one for each request: sign-ins and renewals are hours apart. */
function agentFor(url: URL, tls: Tls = {}, environment: Environment): Agent {
  const proxyEnv = isLoopback(url.hostname) ? {} : environment
  if (url.protocol !== 'https:') return new (process.getBuiltinModule('node:http').Agent)({ proxyEnv })
  const bundle = tls.caBundle ?? (environment['HERMES_CA_BUNDLE'] || environment['SSL_CERT_FILE'])
  const trust = bundle ? { ca: readBundle(bundle) } : {}
  const { Agent } = process.getBuiltinModule('node:https')
  return new Agent({ proxyEnv, rejectUnauthorized: tls.insecure !== true, ...trust })
}

function readBundle(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    throw new CredentialError('refused', `The certificates in ${path} cannot be read.`, { cause: error })
  }
}

async function responseOf(request: ClientRequest, body: string | undefined): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve)
    // Stays for good: an error after the answer has begun reaches the reader of the body.
    request.on('error', reject)
    request.end(body)
  })
}

async function textOf(response: IncomingMessage, host: string): Promise<string> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of response) {
    const part = piece as Buffer
    bytes += part.length
    if (bytes > maxAnswerBytes) throw new CredentialError('refused', `${host} answered with more than 1 MiB.`)
    pieces.push(part)
  }
  return Buffer.concat(pieces).toString('utf8')
}

function parse(text: string, host: string, status: number): JsonRecord {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value as JsonRecord
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  // Some servers say with an empty body that they wait, or that they failed.
  if (status >= 400) return {}
  throw new CredentialError('refused', `${host} answered with something that is no JSON (status ${status}).`)
}
