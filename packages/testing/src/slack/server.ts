import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { acceptWebSocket } from '../media-services/web-socket-server.ts'
import { createDeliverer } from './delivery.ts'
import type { Deliverer } from './delivery.ts'
import { methods } from './methods.ts'
import { createPeople } from './people.ts'
import type { SlackPeople } from './people.ts'
import { createRateTiers } from './rate-tiers.ts'
import type { RateTiers } from './rate-tiers.ts'
import { createWorld, SlackRefusal, textOf } from './world.ts'
import type { Fields, SlackMessage, SlackTeam, SlackWorld } from './world.ts'

/** What happens to the next call of a method; `download` and `upload` count as such. */
export type SlackFault =
  /** The connection breaks before the call has done anything, or after it has. */
  | { readonly method: string; readonly type: 'drop-before' | 'drop-after' }
  | { readonly method: string; readonly type: 'refuse'; readonly error: string; readonly more?: Fields }
  | { readonly method: string; readonly type: 'limit'; readonly retryAfter: number }
  | { readonly method: string; readonly type: 'status'; readonly status: number; readonly body?: string }
  | { readonly method: string; readonly type: 'delay'; readonly ms: number }

export interface SlackOptions {
  /** Seconds that a refusal for too many calls lasts. */
  readonly penalty?: number
  /** Longest that an acknowledgement may take, ms. */
  readonly ackMs?: number
  /** Any number of calls is allowed. */
  readonly isUnlimited?: boolean
}

/**
 * Slack on this machine, from its public documentation (https://docs.slack.dev): Web API, Socket Mode, and the Events API
 * over HTTP where `deliverer.requestUrl` is set. People act with `write`, `command` and `press`.
 */
export interface SlackStandIn extends SlackPeople, AsyncDisposable {
  readonly url: string
  readonly botToken: string
  readonly appToken: string
  readonly world: SlackWorld
  readonly deliverer: Deliverer
  readonly tiers: RateTiers
  /** Messages of the app as they are now, without those that it deleted. */
  readonly posts: readonly SlackMessage[]
  readonly calls: readonly { readonly method: string; readonly params: Fields }[]
  /** Authorization headers that came with downloads. */
  readonly downloads: readonly { readonly path: string; readonly authorization: string }[]
  addTeam(team: SlackTeam): void
  fail(...faults: readonly SlackFault[]): void
  /** Asks the app to connect anew, and closes the connections. */
  disconnect(reason: 'warning' | 'refresh_requested' | 'link_disabled'): void
  /** While it is false, every connection is broken. */
  isReachable: boolean
  /** Resolves when this holds; rejects after `timeoutMs`. */
  until(isSo: () => boolean, timeoutMs?: number): Promise<void>
}

const maxBodyBytes = 64 * 1024 * 1024

export async function startSlack({
  penalty = 1,
  ackMs = 3_000,
  isUnlimited = false,
}: SlackOptions = {}): Promise<SlackStandIn> {
  const world = createWorld()
  const appToken = 'xapp-1-made-up-token-for-tests'
  const calls: { method: string; params: Fields }[] = []
  const downloads: { path: string; authorization: string }[] = []
  const faults: SlackFault[] = []
  const watchers = new Set<() => void>()
  const tiers = createRateTiers(penalty)
  const streams = new Set<Duplex>()
  const ending = new AbortController()
  const changed = () => {
    for (const watcher of watchers) watcher()
  }
  const deliverer = createDeliverer({ ackMs, onChange: changed })
  let isReachable = true
  let count = 0

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy())
  })
  server.on('upgrade', (request: IncomingMessage, stream: Duplex) => {
    if (!isReachable || !request.url?.startsWith('/link')) return void stream.destroy()
    streams.add(stream)
    const socket = acceptWebSocket(request, stream, (text) => deliverer.onText(text))
    stream.on('close', () => {
      streams.delete(stream)
      deliverer.detach(socket)
    })
    socket.send(
      JSON.stringify({ type: 'hello', num_connections: deliverer.sockets.size + 1, connection_info: { app_id: 'A1' } }),
    )
    deliverer.attach(socket)
  })

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!isReachable) return void request.socket.destroy()
    const { pathname } = new URL(request.url ?? '/', 'http://slack')
    const [, area = '', ...rest] = pathname.split('/')
    const method = area === 'files-pri' ? 'download' : area === 'upload' ? 'upload' : rest.join('/')
    const body = await readBody(request)
    const at = faults.findIndex((fault) => fault.method === method)
    const [fault] = at < 0 ? [] : faults.splice(at, 1)
    if (fault?.type === 'drop-before') return void request.socket.destroy()
    if (fault?.type === 'delay') await wait(fault.ms, undefined, { signal: ending.signal })
    try {
      if (fault?.type === 'status') return void response.writeHead(fault.status).end(fault.body ?? '')
      if (fault?.type === 'limit') return limit(response, fault.retryAfter)
      if (area === 'files-pri') return download(request, response, rest[0] ?? '')
      if (area === 'upload') return upload(response, rest[0] ?? '', body)
      if (area === 'response') return answerCommand(response, rest[0] ?? '', body)
      const answer = call(request, method, body, fault)
      if (typeof answer === 'number') return limit(response, answer)
      if (fault?.type === 'drop-after') return void request.socket.destroy()
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
    } finally {
      changed()
    }
  }

  /** The answer of a method, or the seconds that it wants no calls. */
  function call(
    request: IncomingMessage,
    method: string,
    body: Buffer,
    fault: SlackFault | undefined,
  ): Fields | number {
    const params = readParams(request, body)
    const token = (request.headers.authorization ?? '').replace(/^Bearer /, '')
    const team = [...world.teams.values()].find((one) => one.token === token)
    const seconds = isUnlimited ? undefined : tiers.take(token, method, String(params['channel']))
    if (seconds !== undefined) return seconds
    calls.push({ method, params })
    try {
      if (fault?.type === 'refuse') throw new SlackRefusal(fault.error, fault.more)
      if (method === 'apps.connections.open') {
        if (token !== appToken) throw new SlackRefusal(team ? 'not_allowed_token_type' : 'invalid_auth')
        return { ok: true, url: `${standIn.url.replace('http', 'ws')}/link/?ticket=${++count}&app_id=A1` }
      }
      if (!team) throw new SlackRefusal(token === '' ? 'not_authed' : 'invalid_auth')
      const run = Object.hasOwn(methods, method) ? methods[method] : undefined
      if (!run) throw new SlackRefusal('unknown_method')
      return { ok: true, ...run({ world, team, params, url: standIn.url }) }
    } catch (error) {
      if (!(error instanceof SlackRefusal)) throw error
      return { ok: false, error: error.code, ...error.more }
    }
  }

  function download(request: IncomingMessage, response: ServerResponse, id: string): void {
    const authorization = request.headers.authorization ?? ''
    downloads.push({ path: request.url ?? '', authorization })
    const file = world.files.get(id)
    const isKnown = [...world.teams.values()].some(({ token }) => authorization === `Bearer ${token}`)
    // Who may not see a file is shown a page to sign in.
    if (!isKnown) response.writeHead(200, { 'content-type': 'text/html' }).end('<!DOCTYPE html><title>Sign in</title>')
    else response.writeHead(file ? 200 : 404, { 'content-type': file?.mimetype ?? 'text/plain' }).end(file?.bytes)
  }

  function upload(response: ServerResponse, id: string, body: Buffer): void {
    const file = world.files.get(id)
    if (file) file.bytes = body
    response.writeHead(file ? 200 : 404).end(file ? `OK - ${body.length}` : '')
  }

  /** A command may be answered in its channel where the bot is not in it. */
  function answerCommand(response: ServerResponse, channel: string, body: Buffer): void {
    const { text } = JSON.parse(body.toString('utf8')) as Fields
    world.ephemerals.push({ channel, user: '', text: textOf(text) })
    response.writeHead(200).end('ok')
  }

  function nextChange(): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        watchers.delete(done)
        resolve()
      }
      const timer = setTimeout(done, 50)
      watchers.add(done)
    })
  }

  const people = createPeople({ world, deliverer, url: () => standIn.url })
  const standIn: SlackStandIn = {
    url: '',
    botToken: world.teams.get('T1')?.token ?? '',
    appToken,
    world,
    deliverer,
    tiers,
    calls,
    downloads,
    get posts() {
      return world.messages.filter(({ botId, isDeleted }) => botId !== undefined && !isDeleted)
    },
    get isReachable() {
      return isReachable
    },
    set isReachable(value) {
      isReachable = value
      if (!value) cut()
      changed()
    },
    ...people,
    addTeam: (team) => void world.teams.set(team.id, team),
    fail: (...more) => void faults.push(...more),
    disconnect(reason) {
      for (const socket of deliverer.sockets) {
        socket.send(JSON.stringify({ type: 'disconnect', reason, debug_info: { host: 'stand-in' } }))
        socket.close()
      }
    },
    async until(isSo, timeoutMs = 30_000) {
      const end = performance.now() + timeoutMs
      while (!isSo()) {
        if (performance.now() > end) {
          const last = calls.slice(-20).map(({ method, params }) => `${method} ${JSON.stringify(params).slice(0, 200)}`)
          throw new Error(`it did not come about; the last calls:\n${last.join('\n')}`)
        }
        await nextChange()
      }
    },
    async [Symbol.asyncDispose]() {
      ending.abort()
      deliverer.close()
      const closed = once(server, 'close')
      server.close()
      isReachable = false
      cut()
      await closed
    },
  }
  function cut(): void {
    for (const stream of streams) stream.destroy()
    server.closeAllConnections()
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return Object.defineProperty(standIn, 'url', { value: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
}

function limit(response: ServerResponse, seconds: number): void {
  response
    .writeHead(429, { 'content-type': 'application/json', 'retry-after': String(seconds) })
    .end(JSON.stringify({ ok: false, error: 'ratelimited' }))
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += (chunk as Buffer).length
    if (size > maxBodyBytes) throw new Error('The body is too large.')
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks)
}

/** Parameters as the Web API takes them: a form, or JSON. */
function readParams(request: IncomingMessage, body: Buffer): Fields {
  const text = body.toString('utf8')
  if ((request.headers['content-type'] ?? '').includes('json')) return JSON.parse(text || '{}') as Fields
  return Object.fromEntries(new URLSearchParams(text))
}
