import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createGatewaySide } from './gateway-side.ts'
import type { GatewaySide } from './gateway-side.ts'
import { createLimits, discordRates } from './limits.ts'
import type { BucketState, DiscordRates } from './limits.ts'
import { channelObject, memberObject, personMessage, userObject } from './objects.ts'
import { readCall } from './read-call.ts'
import { routes } from './routes.ts'
import type { Route } from './routes.ts'
import { createWorld, DiscordRefusal, ids, snowflake } from './world.ts'
import type { BotMessage, DiscordWorld, Fields } from './world.ts'

/** What happens to the next call of a route, named as `POST /channels/:channel/messages`. */
export type DiscordFault =
  /** The connection breaks before the call has done anything, or after it has. */
  | { readonly route: string; readonly type: 'drop-before' | 'drop-after' }
  | {
      readonly route: string
      readonly type: 'refuse'
      readonly status: number
      readonly code: number
      readonly message: string
    }
  | { readonly route: string; readonly type: 'limit'; readonly retryAfter: number; readonly isGlobal: boolean }
  /** What stands before the service refuses, in a form of its own. */
  | { readonly route: string; readonly type: 'page'; readonly status: number; readonly retryAfter?: number }

export interface DiscordOptions {
  readonly rates?: DiscordRates
  readonly heartbeatMs?: number
}

export interface PersonMessage extends Fields {
  /** Default: the direct chat with Ann. */
  readonly channel?: string
  /** Default: Ann. */
  readonly user?: string
  readonly content?: string
}

/**
 * Discord on this machine, from its public documentation: API v10, gateway v10, and the host of files. People write with
 * `write`, press with `press` and call commands with `command`; what the bot does is in `world`.
 */
export interface DiscordStandIn extends AsyncDisposable {
  /** What stands before `/v10`. */
  readonly apiUrl: string
  readonly cdnUrl: string
  readonly token: string
  readonly world: DiscordWorld
  readonly gateway: GatewaySide
  readonly messages: readonly BotMessage[]
  /** Routes in the order in which they were called. */
  readonly calls: readonly { readonly route: string; readonly params: Fields; readonly body: Fields }[]
  /** Calls that were too many, by bucket. */
  readonly refusals: readonly string[]
  /** A person writes. Answers with the id of the message. */
  write(message: PersonMessage): string
  /** The same, without telling the bot: as if it were away. */
  keep(message: PersonMessage): string
  /** A person presses a button. Answers with the id of the interaction. */
  press(message: BotMessage, label: string, user?: string): string
  /** A person calls a command. Answers with the id of the interaction. */
  command(name: string, options: Fields, place?: { readonly channel?: string; readonly user?: string }): string
  /** A file that people can send: the attachment that stands for it. */
  addFile(name: string, bytes: Buffer, more?: Fields): Fields
  fail(...faults: readonly DiscordFault[]): void
  /** While it is false, every connection is broken. */
  isReachable: boolean
  /** Resolves when this holds; rejects after `timeoutMs`. It is looked again after each call. */
  until(isSo: () => boolean, timeoutMs?: number): Promise<void>
}

export async function startDiscord(options: DiscordOptions = {}): Promise<DiscordStandIn> {
  const world = createWorld()
  const limits = createLimits(options.rates ?? discordRates)
  const token = 'made-up-token.for.tests-AAAA'
  const calls: { route: string; params: Fields; body: Fields }[] = []
  const faults: DiscordFault[] = []
  const watchers = new Set<() => void>()
  let isReachable = true

  const changed = () => {
    for (const watcher of watchers) watcher()
  }
  const gateway = createGatewaySide({ world, token, heartbeatMs: options.heartbeatMs ?? 41_250, changed })
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy())
  })
  server.on('upgrade', (request, stream, head) => {
    if (isReachable) gateway.upgrade(request, stream, head)
    else stream.destroy()
  })

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!isReachable) return void request.socket.destroy()
    const url = new URL(request.url ?? '/', 'http://discord')
    if (url.pathname.startsWith('/attachments/')) {
      const file = world.files.get(url.pathname.split('/')[2] ?? '')
      response.writeHead(file ? 200 : 404).end(file?.bytes)
      return
    }
    const { body, files } = await readCall(request)
    const found = findRoute(request.method ?? '', url.pathname)
    const name = found ? `${found.route.method} ${found.route.path}` : ''
    const at = faults.findIndex(({ route }) => route === name)
    const [fault] = at < 0 ? [] : faults.splice(at, 1)
    if (fault?.type === 'drop-before') return void request.socket.destroy()
    calls.push({ route: name, params: found?.params ?? {}, body })
    const answer = (status: number, value: unknown, headers: Readonly<Record<string, string>> = {}) => {
      changed()
      if (value === undefined) response.writeHead(204, headers).end()
      else response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value))
    }
    let headers: Readonly<Record<string, string>> = {}
    try {
      const needsToken = found?.route.bucket !== 'none'
      if (needsToken && request.headers.authorization !== `Bot ${token}`)
        throw new DiscordRefusal(401, 0, '401: Unauthorized')
      if (!found) throw new DiscordRefusal(404, 0, '404: Not Found')
      if (fault?.type === 'refuse') throw new DiscordRefusal(fault.status, fault.code, fault.message)
      if (fault?.type === 'page') {
        const wait = fault.retryAfter === undefined ? {} : { 'retry-after': String(fault.retryAfter) }
        response.writeHead(fault.status, { 'content-type': 'text/html', ...wait }).end('<html>error</html>')
        return
      }
      if (fault?.type === 'limit') return answer(429, ...limited(fault.isGlobal, fault.retryAfter * 1000))
      if (needsToken) {
        const state = limits.take(found.route.bucket, found.params['channel'] ?? '')
        headers = bucketHeaders(state)
        if (state.refused) {
          const [value, more] = limited(state.refused.isGlobal, state.refused.retryAfterMs)
          return answer(429, value, { ...headers, ...more })
        }
      }
      const { params } = found
      const { searchParams: query } = url
      const result = found.route.run({
        world,
        params,
        query,
        body,
        files,
        dispatch: (type, data) => gateway.dispatch(type, data),
        gatewayUrl: gateway.url,
      })
      if (fault?.type === 'drop-after') {
        changed()
        return void request.socket.destroy()
      }
      answer(200, result, headers)
    } catch (error) {
      if (!(error instanceof DiscordRefusal)) throw error
      const { status, code, message, errors } = error
      answer(status, { code, message, ...(errors && { errors }) }, headers)
    }
  }

  function nextChange(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        watchers.delete(done)
        resolve()
      }
      const timer = setTimeout(done, Math.max(0, timeoutMs))
      watchers.add(done)
    })
  }

  function keep({ channel = ids.dm, user = ids.ann, ...fields }: PersonMessage): string {
    const [place, author] = [world.channels.get(channel), world.users.get(user)]
    if (!place || !author) throw new Error(`no channel ${channel}, or no user ${user}`)
    const id = snowflake()
    world.written.push(personMessage(world, { id, channel: place, user: author, fields }))
    return id
  }

  function interact(
    type: number,
    data: Fields,
    place: { readonly channel: string; readonly user: string; readonly more?: Fields },
  ) {
    const [channel, user] = [world.channels.get(place.channel), world.users.get(place.user)]
    if (!channel || !user) throw new Error(`no channel ${place.channel}, or no user ${place.user}`)
    const id = snowflake()
    const own = `token-${id}`
    world.interactions.set(id, { token: own, at: performance.now() })
    const who =
      channel.guildId === undefined
        ? { user: userObject(user) }
        : {
            guild_id: channel.guildId,
            member: { ...memberObject(world, user.id), user: userObject(user), permissions: '0' },
          }
    gateway.dispatch('INTERACTION_CREATE', {
      id,
      application_id: world.applicationId,
      type,
      data,
      token: own,
      version: 1,
      channel_id: channel.id,
      channel: channelObject(world, channel),
      locale: 'en-US',
      entitlements: [],
      authorizing_integration_owners: {},
      attachment_size_limit: world.maxUploadBytes,
      ...who,
      ...place.more,
    })
    return id
  }

  const standIn: DiscordStandIn = {
    apiUrl: '',
    cdnUrl: '',
    token,
    world,
    gateway,
    messages: world.messages,
    calls,
    refusals: limits.refusals,
    get isReachable() {
      return isReachable
    },
    set isReachable(value) {
      isReachable = value
      if (!value) {
        server.closeAllConnections()
        gateway.drop()
      }
      changed()
    },
    write(message) {
      const id = keep(message)
      gateway.dispatch('MESSAGE_CREATE', world.written.at(-1) ?? {})
      return id
    },
    keep,
    press(message, label, user = ids.ann) {
      const button = message.buttons.find((one) => one.label === label)
      if (!button) throw new Error(`no button ${label}`)
      const more = {
        message: {
          id: message.id,
          channel_id: message.channelId,
          author: userObject(world.me),
          content: message.content,
        },
      }
      return interact(3, { custom_id: button.custom_id, component_type: 2 }, { channel: message.channelId, user, more })
    },
    command(name, given, { channel = ids.dm, user = ids.ann } = {}) {
      const listed = Object.entries(given).map(([key, value]) => ({ name: key, type: 3, value }))
      return interact(2, { id: snowflake(), name, type: 1, options: listed }, { channel, user })
    },
    addFile(name, bytes, more = {}) {
      const id = snowflake()
      world.files.set(id, { name, bytes })
      const url = `${standIn.cdnUrl}/attachments/${id}/${encodeURIComponent(name)}`
      return { id, filename: name, size: bytes.length, url, proxy_url: url, ...more }
    },
    fail: (...more) => void faults.push(...more),
    async until(isSo, timeoutMs = 30_000) {
      const end = performance.now() + timeoutMs
      while (!isSo()) {
        if (performance.now() > end) {
          const last = calls.slice(-20).map(({ route, body }) => `${route} ${JSON.stringify(body).slice(0, 200)}`)
          throw new Error(`it did not come about; the last calls:\n${last.join('\n')}`)
        }
        await nextChange(50)
      }
    },
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      standIn.isReachable = false
      await closed
    },
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  gateway.url = `ws://127.0.0.1:${port}`
  Object.defineProperty(standIn, 'cdnUrl', { value: `http://127.0.0.1:${port}` })
  return Object.defineProperty(standIn, 'apiUrl', { value: `http://127.0.0.1:${port}/api` })
}

function findRoute(
  method: string,
  pathname: string,
): { readonly route: Route; readonly params: Readonly<Record<string, string>> } | undefined {
  const parts = /^\/api\/v10(\/.*)$/.exec(pathname)?.[1]?.split('/') ?? []
  for (const route of routes) {
    const wanted = route.path.split('/')
    if (route.method !== method || wanted.length !== parts.length) continue
    const fits = wanted.every((one, at) => one.startsWith(':') || one === decodeURIComponent(parts[at] ?? ''))
    if (!fits) continue
    const named = wanted.flatMap((one, at) =>
      one.startsWith(':') ? [[one.slice(1), decodeURIComponent(parts[at] ?? '')]] : [],
    )
    return { route, params: Object.fromEntries(named) as Readonly<Record<string, string>> }
  }
  return undefined
}

function bucketHeaders({ name, limit, remaining, resetAfterMs }: BucketState): Readonly<Record<string, string>> {
  return {
    'x-ratelimit-bucket': name,
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(remaining),
    'x-ratelimit-reset': ((Date.now() + resetAfterMs) / 1000).toFixed(3),
    'x-ratelimit-reset-after': (resetAfterMs / 1000).toFixed(3),
  }
}

function limited(isGlobal: boolean, retryAfterMs: number): [value: Fields, headers: Readonly<Record<string, string>>] {
  const seconds = Number((retryAfterMs / 1000).toFixed(3))
  const value = { message: 'You are being rate limited.', retry_after: seconds, global: isGlobal }
  const scope: Readonly<Record<string, string>> = isGlobal
    ? { 'x-ratelimit-global': 'true', 'x-ratelimit-scope': 'global' }
    : { 'x-ratelimit-scope': 'user' }
  return [value, { 'retry-after': String(Math.ceil(seconds)), ...scope }]
}
