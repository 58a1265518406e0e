import { Agent as HttpAgent, request as requestHttp } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Environment } from '@hermes/core/agent/context.ts'
import { parseWebUrl } from '@hermes/core/security/network/parse-web-url.ts'
import type { WebUrl } from '@hermes/core/security/network/parse-web-url.ts'
import { proxyFor } from '@hermes/core/security/network/proxy-for.ts'
import type { z } from 'zod'
import { createSocksAgents, socksKinds } from '../../http/socks-agent.ts'
import { PlatformError } from '../platform-error.ts'
import { refusalError } from './errors.ts'

/** One call of the client-server API. */
export interface MatrixCall {
  readonly method: 'GET' | 'PUT' | 'POST'
  /** After `/_matrix`; made with `apiPath`. */
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | undefined>>
  /** JSON, or bytes of a known length. */
  readonly body?: unknown
  readonly upload?: { readonly bytes: Readable; readonly size: number; readonly mimeType: string }
  /** Default 30 s. */
  readonly timeoutMs?: number
}

/** The server's API. Throws `PlatformError`; the reason where `signal` aborts. */
export interface MatrixClient {
  readonly homeserver: string
  accessToken: string | undefined
  /** Calls, and reads what the answer holds. */
  call<T>(schema: z.ZodType<T>, call: MatrixCall, signal: AbortSignal): Promise<T>
  /** Calls, and leaves the answer to `take` while it comes. */
  stream<T>(call: MatrixCall, take: (body: IncomingMessage) => Promise<T>, signal: AbortSignal): Promise<T>
  close(): void
}

const callMs = 30_000

/** Longest that a connection through a SOCKS proxy takes to come about, ms. */
const connectMs = 15_000

/** Largest answer that is read, bytes. A sync after a long absence is the largest. */
const maxAnswerBytes = 64 * 1024 * 1024

function agentFor(base: WebUrl, environment: Environment): HttpAgent {
  const proxy = proxyFor(base, environment, ['http:', 'https:', ...socksKinds])
  const isTls = base.url.protocol === 'https:'
  // One that has been idle for long may be half closed.
  const options = { keepAlive: true, timeout: 15_000 }
  if (proxy?.startsWith('socks')) return createSocksAgents(proxy, options, connectMs)[isTls ? 'https' : 'http']
  const proxyEnv = proxy === undefined ? {} : { HTTPS_PROXY: proxy, HTTP_PROXY: proxy }
  return isTls ? new HttpsAgent({ ...options, proxyEnv }) : new HttpAgent({ ...options, proxyEnv })
}

/** Path of an API whose parts may hold anything. */
export function apiPath(parts: TemplateStringsArray, ...values: readonly string[]): string {
  return parts.reduce((path, part, at) => path + encodeURIComponent(values[at - 1] ?? '') + part)
}

export function openClient(homeserver: string, environment: Environment): MatrixClient {
  const base = parseWebUrl(homeserver)
  const isTls = base.url.protocol === 'https:'
  const agent = agentFor(base, environment)
  const ask = isTls ? requestHttps : requestHttp

  async function send(call: MatrixCall, token: string | undefined, signal: AbortSignal): Promise<IncomingMessage> {
    const url = new URL(`${homeserver}/_matrix${call.path}`)
    for (const [name, value] of Object.entries(call.query ?? {})) {
      if (value !== undefined) url.searchParams.set(name, String(value))
    }
    const { upload } = call
    const json = call.body === undefined ? undefined : Buffer.from(JSON.stringify(call.body))
    const headers = {
      accept: 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(json && { 'content-type': 'application/json', 'content-length': json.length }),
      ...(upload && { 'content-type': upload.mimeType, 'content-length': upload.size }),
    }
    const request = ask(url, { agent, method: call.method, headers, signal })
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      request.on('response', resolve)
      request.on('error', reject)
    })
    if (!upload) request.end(json)
    // The answer may come before all is sent: a refusal.
    else
      pipeline(upload.bytes, request).catch((error: unknown) =>
        request.destroy(error instanceof Error ? error : undefined),
      )
    return answered
  }

  const client: MatrixClient = {
    homeserver,
    accessToken: undefined,
    async call(schema, call, signal) {
      const text = await client.stream(call, readText, signal)
      return parsed(schema, text, call)
    },
    async stream(call, take, signal) {
      signal.throwIfAborted()
      const limit = AbortSignal.any([signal, AbortSignal.timeout(call.timeoutMs ?? callMs)])
      const name = `${call.method} ${call.path.replaceAll(/%\w\w|![^/]*|@[^/]*/g, '…')}`
      try {
        const response = await send(call, client.accessToken, limit)
        const { statusCode: status = 0 } = response
        if (status >= 200 && status < 300) return await take(response)
        const body = await readText(response)
        throw refusalError(name, { status, body, retryAfter: response.headers['retry-after'] })
      } catch (error) {
        signal.throwIfAborted()
        if (error instanceof PlatformError) throw error
        const reason = limit.aborted ? 'no answer in time' : codeOf(error)
        throw new PlatformError('unreachable', `Matrix cannot be reached (${name}: ${reason}).`)
      }
    },
    close: () => agent.destroy(),
  }
  return client
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'no answer'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message
}

async function readText(body: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    size += (chunk as Buffer).length
    if (size > maxAnswerBytes) throw new PlatformError('refused', 'An answer of the Matrix server is too long.')
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parsed<T>(schema: z.ZodType<T>, text: string, { path }: MatrixCall): T {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    throw new PlatformError('unreachable', `What answers for the Matrix server is none (${path.split('/')[1] ?? ''}).`)
  }
  const result = schema.safeParse(json)
  if (result.success) return result.data
  const where = result.error.issues[0]?.path.join('.') ?? ''
  throw new PlatformError('refused', `The Matrix server answers in a form that is not known (${where}).`)
}
