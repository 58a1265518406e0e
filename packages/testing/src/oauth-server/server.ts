import { once } from 'node:events'
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Endpoint, endpointPaths, Endpoints, type Fields } from './endpoints.ts'
import { Grants, type IssuedTokens, type OAuthCounts, OAuthRefusal } from './grants.ts'

export interface OAuthServerOptions {
  /** How long access tokens hold. Default 3600. */
  readonly accessTtlSeconds?: number
  /** Whether a refresh token holds for one use, and ends its grant when it is used again. Default true. */
  readonly rotate?: boolean
  /** Makes access tokens JSON Web Tokens of this person. */
  readonly email?: string
  readonly scope?: string
  /** Seconds between polls. Default 5. */
  readonly interval?: number
  readonly deviceTtlSeconds?: number
  readonly agentKeyTtlSeconds?: number
  readonly inferenceUrl?: string
  /** How long every answer takes. */
  readonly latencyMs?: number
  /** A key and certificate, PEM: then it speaks HTTPS. */
  readonly tls?: { readonly key: string; readonly cert: string }
}

/** What goes wrong with one answer. `lost`: all is done, but the connection breaks before the answer. */
export type OAuthFault =
  | { readonly type: 'answer'; readonly status: number; readonly body: unknown }
  | { readonly type: 'lost' }

export interface RecordedOAuthRequest {
  readonly endpoint: Endpoint
  readonly fields: Fields
  readonly headers: IncomingMessage['headers']
  readonly contentType: string
}

/** A gate in front of the answers of one endpoint. */
export interface Gate {
  /** Resolves when a request has been dealt with, and its answer waits. */
  readonly reached: Promise<void>
  open(): void
}

/** A sign-in server on loopback: every provider's paths, rotation with reuse detection, device and browser sign-in. */
export interface OAuthServer extends AsyncDisposable {
  readonly url: string
  readonly counts: Readonly<OAuthCounts>
  readonly requests: readonly RecordedOAuthRequest[]
  readonly grants: Pick<Grants, 'isValid' | 'expire' | 'revokeAll'>
  /** A grant without a sign-in, for a test to begin with. */
  issue(): IssuedTokens
  /** The person says yes or no to the code that they were shown, or is too late. */
  answer(userCode: string, answer: 'approved' | 'denied' | 'expired'): void
  /** The next request to an endpoint goes wrong; several calls queue up. */
  failNext(endpoint: Endpoint, fault: OAuthFault): void
  /** Holds back the answers of an endpoint until the gate is opened. */
  hold(endpoint: Endpoint): Gate
}

interface HeldEndpoint {
  readonly reach: () => void
  readonly opened: Promise<void>
}

export async function startOAuthServer(options: OAuthServerOptions = {}): Promise<OAuthServer> {
  const { accessTtlSeconds = 3600, rotate = true, scope = 'made-up-scope', latencyMs = 0, tls } = options
  const counts: OAuthCounts = {
    refreshes: 0,
    reuses: 0,
    exchanges: 0,
    deviceCodes: 0,
    devicePolls: 0,
    agentKeys: 0,
    authorizations: 0,
  }
  const grants = new Grants({ accessTtlSeconds, rotate, scope, ...(options.email && { email: options.email }) }, counts)
  const requests: RecordedOAuthRequest[] = []
  const faults = new Map<Endpoint, OAuthFault[]>()
  const held = new Map<Endpoint, HeldEndpoint>()
  let url = ''
  const endpoints = new Endpoints(grants, counts, {
    interval: options.interval ?? 5,
    deviceTtlSeconds: options.deviceTtlSeconds ?? 900,
    agentKeyTtlSeconds: options.agentKeyTtlSeconds ?? 7200,
    verifyUrl: () => `${url}/activate`,
    inferenceUrl: options.inferenceUrl,
  })

  const post = async (endpoint: Endpoint, request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const contentType = request.headers['content-type'] ?? ''
    const fields = parseFields(await textOf(request), contentType)
    requests.push({ endpoint, fields, headers: request.headers, contentType })
    const fault = faults.get(endpoint)?.shift()
    const answer =
      fault?.type === 'answer'
        ? fault
        : answerOf(() => endpoints.respond(endpoint, fields, request.headers.authorization))
    if (latencyMs > 0) await sleep(latencyMs)
    const gate = held.get(endpoint)
    gate?.reach()
    await gate?.opened
    if (fault?.type === 'lost') response.destroy()
    else sendJson(response, answer.status, answer.body)
  }
  const get = (request: IncomingMessage, response: ServerResponse): void => {
    const { pathname, searchParams } = new URL(request.url ?? '/', url)
    if (!pathname.endsWith('/oauth/authorize')) return sendJson(response, 404, { error: 'not_found' })
    const redirect = new URL(searchParams.get('redirect_uri') ?? '')
    const state = searchParams.get('state') ?? ''
    const code = endpoints.authorize(searchParams)
    // The server's own page shows the code to be pasted, with the state behind it.
    if (redirect.origin === new URL(url).origin) return void response.end(`${code}#${state}`)
    redirect.searchParams.set('code', code)
    redirect.searchParams.set('state', state)
    response.writeHead(302, { location: redirect.href }).end()
  }
  const listener: RequestListener = (request, response) => {
    const endpoint = endpointPaths[(request.url ?? '').split('?')[0] ?? '']
    if (request.method !== 'POST' || !endpoint) {
      get(request, response)
      return
    }
    post(endpoint, request, response).catch((error: unknown) => {
      if (!response.destroyed) sendJson(response, 500, { error: String(error) })
    })
  }
  const server = tls ? createSecureServer(tls, listener) : createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`

  return {
    url,
    counts,
    requests,
    grants,
    issue: () => grants.issue(),
    answer: (userCode, answer) => endpoints.answer(userCode, answer),
    failNext: (endpoint, fault) => void faults.set(endpoint, [...(faults.get(endpoint) ?? []), fault]),
    hold: (endpoint) => {
      const reached = Promise.withResolvers<void>()
      const opened = Promise.withResolvers<void>()
      held.set(endpoint, { reach: () => reached.resolve(), opened: opened.promise })
      const open = (): void => {
        held.delete(endpoint)
        opened.resolve()
      }
      return { reached: reached.promise, open }
    },
    [Symbol.asyncDispose]: () => closeServer(server),
  }
}

function answerOf(work: () => unknown): { readonly status: number; readonly body: unknown } {
  try {
    return { status: 200, body: work() }
  } catch (error) {
    if (!(error instanceof OAuthRefusal)) throw error
    const body = error.code === '' ? {} : { error: error.code, error_description: error.message }
    return { status: error.status, body }
  }
}

function parseFields(text: string, contentType: string): Fields {
  if (!contentType.startsWith('application/json')) return Object.fromEntries(new URLSearchParams(text))
  return Object.fromEntries(Object.entries(JSON.parse(text) as object).map(([name, value]) => [name, String(value)]))
}

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  return Buffer.concat(pieces).toString()
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}
