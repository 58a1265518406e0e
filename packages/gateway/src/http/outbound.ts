import { Agent as HttpAgent, request as requestHttp } from 'node:http'
import type { AgentOptions, IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import type { LookupFunction, Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Environment } from '@hermes/core/agent/context.ts'
import { proxyFor } from '@hermes/core/security/network/proxy-for.ts'
import { createSocksAgents, socksKinds } from './socks-agent.ts'
import type { SocksAgents } from './socks-agent.ts'

// Why not `fetch`: its first use loads a second HTTP client into the process, some 25 ms and 6 MB of it.

export interface OutboundRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly headers?: OutgoingHttpHeaders
  readonly body?: string | Uint8Array | Readable
  /** Ends the exchange, the reading of the answer included. */
  readonly signal: AbortSignal
}

/** An answer whose head is here. Read it or discard it: until then its connection serves nothing else. */
export interface OutboundAnswer {
  readonly status: number
  readonly isOk: boolean
  header(name: string): string | undefined
  /** The body; undefined where it is larger, and the connection is then given up. */
  read(maxBytes: number): Promise<Buffer | undefined>
  discard(): void
}

/** Requests over connections that are kept, through the proxy that the environment names. */
export interface Outbound {
  /** Resolves to whatever the service answers; redirects are not followed. Throws the reason of `signal`, or what broke. */
  send(url: string, request: OutboundRequest): Promise<OutboundAnswer>
  /** What opens connections to an address. */
  agentOf(url: string): HttpAgent
  close(): void
}

/** Connections to one host at once. */
const maxSockets = 32

/** A connection that has been idle for longer may be half closed: a message sent on it would be in doubt. */
const maxIdleMs = 15_000

/** How connections come to be. */
export interface Connecting {
  /** Names are looked up by it; default the system. All that it finds is tried, one after the other. */
  readonly lookup?: LookupFunction
  /** Longest that it may take, ms; default 15 s. What was never connected was never sent. */
  readonly connectMs?: number
  /** One was made, to this address. */
  readonly onConnect?: (address: string) => void
}

/** Longest that a connection takes to come about where nobody says, ms. */
const usualConnectMs = 15_000

/** How long each address of several may take, ms. */
const attemptMs = 2_000

export function openOutbound(environment: Environment, connecting: Connecting = {}): Outbound {
  const { lookup } = connecting
  const options = {
    keepAlive: true,
    timeout: maxIdleMs,
    maxSockets,
    proxyEnv: proxiesOf(environment),
    ...(lookup && { lookup, autoSelectFamily: true, autoSelectFamilyAttemptTimeout: attemptMs }),
  }
  const agents = { http: new HttpAgent(options), https: new HttpsAgent(options) }
  const socks = openSocks(environment, options, connecting.connectMs ?? usualConnectMs)
  const agentOf = (url: string) => {
    const { http, https } = socks?.agentsOf(url) ?? agents
    return /^(https|wss):/i.test(url) ? https : http
  }
  return {
    agentOf,
    send: (url, request) => exchange(url, agentOf(url), request, connecting),
    close() {
      agents.http.destroy()
      agents.https.destroy()
      socks?.close()
    },
  }
}

/** The way through SOCKS proxies; undefined where the environment names none. */
function openSocks(environment: Environment, options: AgentOptions, connectMs: number) {
  const names = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY'].flatMap((name) => [name, name.toLowerCase()])
  if (!names.some((name) => /^socks/i.test(environment[name] ?? ''))) return undefined
  const known = new Map<string, SocksAgents>()
  return {
    /** Undefined: not through one. */
    agentsOf(address: string): SocksAgents | undefined {
      const proxy = proxyFor(webUrlOf(address), environment, ['http:', 'https:', ...socksKinds])
      if (proxy === undefined || !proxy.startsWith('socks')) return undefined
      const agents = known.get(proxy) ?? createSocksAgents(proxy, options, connectMs)
      known.set(proxy, agents)
      return agents
    },
    close() {
      for (const { http, https } of known.values()) {
        http.destroy()
        https.destroy()
      }
    },
  }
}

function webUrlOf(address: string) {
  const url = new URL(address.replace(/^ws/i, 'http'))
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
  return { url, hostname: url.hostname.replace(/^\[|\]$/g, ''), port }
}

/** HTTP proxies alone, which Node itself goes through. */
function proxiesOf(environment: Environment): Readonly<Record<string, string>> {
  const of = (name: string) => environment[name] || environment[name.toLowerCase()] || undefined
  const http = (value: string | undefined) => (value !== undefined && /^https?:/i.test(value) ? value : undefined)
  const all = http(of('ALL_PROXY'))
  const found = {
    HTTPS_PROXY: http(of('HTTPS_PROXY')) ?? all,
    HTTP_PROXY: http(of('HTTP_PROXY')) ?? all,
    NO_PROXY: of('NO_PROXY'),
  }
  return Object.fromEntries(Object.entries(found).flatMap(([name, value]) => (value ? [[name, value]] : [])))
}

async function exchange(
  url: string,
  agent: HttpAgent,
  request: OutboundRequest,
  connecting: Connecting,
): Promise<OutboundAnswer> {
  const { method = 'GET', headers, body, signal } = request
  signal.throwIfAborted()
  const send = url.startsWith('https:') ? requestHttps : requestHttp
  const answered = Promise.withResolvers<IncomingMessage>()
  const sending = send(url, { method, agent, signal, ...(headers && { headers }) }, answered.resolve)
  // Stays for good: what breaks after the answer has begun reaches its reader.
  sending.on('error', answered.reject)
  sending.once('socket', (socket) => watchConnecting(socket, connecting))
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) sending.end(body)
  // Where the service answers before it has read all, the answer counts.
  else pipeline(body, sending).catch(answered.reject)
  try {
    return asAnswer(await answered.promise, signal)
  } catch (error) {
    signal.throwIfAborted()
    throw error
  }
}

function watchConnecting(socket: Socket, { connectMs = usualConnectMs, onConnect }: Connecting): void {
  if (!socket.connecting) return
  const late = () => socket.destroy(Object.assign(new Error('connect ETIMEDOUT'), { code: 'CONNECT_TIMEOUT' }))
  const timer = setTimeout(late, connectMs)
  socket.once('close', () => clearTimeout(timer))
  socket.once('connect', () => {
    clearTimeout(timer)
    if (socket.remoteAddress !== undefined) onConnect?.(socket.remoteAddress)
  })
}

function asAnswer(message: IncomingMessage, signal: AbortSignal): OutboundAnswer {
  const status = message.statusCode ?? 0
  return {
    status,
    isOk: status >= 200 && status < 300,
    header: (name) => [message.headers[name] ?? []].flat()[0],
    async read(maxBytes) {
      const pieces: Buffer[] = []
      let size = 0
      try {
        for await (const piece of message as AsyncIterable<Buffer>) {
          size += piece.length
          // Leaving the loop ends the connection.
          if (size > maxBytes) return undefined
          pieces.push(piece)
        }
      } catch (error) {
        signal.throwIfAborted()
        throw error
      }
      return Buffer.concat(pieces)
    },
    discard: () => void message.on('error', () => {}).resume(),
  }
}
