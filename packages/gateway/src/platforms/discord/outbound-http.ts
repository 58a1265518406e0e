import type { Environment } from '@hermes/core/agent/context.ts'
import { proxyFor } from '@hermes/core/security/network/proxy-for.ts'
import type { Response as LibraryResponse } from 'undici'
import { WebSocket } from 'ws'
import { openOutbound as openDirect } from '../../http/outbound.ts'
import type { Outbound, OutboundAnswer, OutboundRequest } from '../../http/outbound.ts'
import { socksKinds } from '../../http/socks-agent.ts'

/** What is sent: a text, or a form with files. */
export interface HttpRequest {
  readonly method?: OutboundRequest['method']
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | FormData
  readonly signal: AbortSignal
}

/** Sends a request; redirects are not followed. */
export type SendHttp = (url: string, request: HttpRequest) => Promise<OutboundAnswer>

/** What of a web socket is used; every library's is one. */
export interface OpenSocket {
  readonly readyState: number
  readonly OPEN: number
  send(text: string): void
  close(code?: number): void
  /** Ends it at once, where the library can. */
  terminate?(): void
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void
  addEventListener(type: 'close', listener: (event: { readonly code: number }) => void): void
  addEventListener(type: 'error', listener: () => void): void
}

/** Beginnings of proxies' addresses. */
const proxyKinds = ['http:', 'https:', ...socksKinds]

/** Largest frame that is taken, bytes. */
const maxFrame = 64 * 1024 * 1024

export interface OutboundHttp {
  readonly send: SendHttp
  readonly connect: (url: string) => Promise<OpenSocket>
  close(): Promise<void>
}

/** Requests and web sockets, through `DISCORD_PROXY` or the proxy that the environment names for all. */
export function openOutbound(environment: Environment, own: string | undefined): OutboundHttp {
  const direct = openDirect({})
  const agents = new Map<string, { destroy(): Promise<void> }>()
  const socks = new Map<string, Outbound>()

  const proxyOf = (address: string): string | undefined => {
    const url = new URL(address.replace(/^ws/, 'http'))
    const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
    const named = own === undefined ? environment : { ALL_PROXY: own, NO_PROXY: environment['NO_PROXY'] }
    return proxyFor({ url, hostname: url.hostname.replace(/^\[|\]$/g, ''), port }, named, proxyKinds)
  }

  const throughSocks = (proxy: string): Outbound => {
    const known = socks.get(proxy) ?? openDirect({ ALL_PROXY: proxy })
    socks.set(proxy, known)
    return known
  }

  /** Its proxies are tunnels for every kind of address, web sockets included. */
  async function through(proxy: string) {
    const library = await import('undici')
    const known = agents.get(proxy)
    const agent =
      known instanceof library.ProxyAgent ? known : new library.ProxyAgent({ uri: proxy, proxyTunnel: true })
    agents.set(proxy, agent)
    return { library, agent }
  }

  return {
    async send(url, { body, ...request }) {
      const proxy = proxyOf(url)
      const whole = typeof body === 'string' || body === undefined ? { body, headers: {} } : await asBytes(body)
      const headers = { ...whole.headers, ...request.headers }
      const sent = { ...request, headers, ...(whole.body !== undefined && { body: whole.body }) }
      if (proxy === undefined) return direct.send(url, sent)
      if (proxy.startsWith('socks')) return throughSocks(proxy).send(url, sent)
      const { library, agent } = await through(proxy)
      return asAnswer(await library.fetch(url, { ...sent, redirect: 'manual', dispatcher: agent }))
    },
    async connect(url) {
      const proxy = proxyOf(url)
      const options = { perMessageDeflate: false, maxPayload: maxFrame }
      if (proxy === undefined) return new WebSocket(url, options)
      if (proxy.startsWith('socks')) return new WebSocket(url, { ...options, agent: throughSocks(proxy).agentOf(url) })
      const { library, agent } = await through(proxy)
      return new library.WebSocket(url, { dispatcher: agent })
    },
    async close() {
      for (const one of [direct, ...socks.values()]) one.close()
      await Promise.all([...agents.values()].map((agent) => agent.destroy()))
    },
  }
}

async function asBytes(form: FormData): Promise<{ headers: Record<string, string>; body: Uint8Array }> {
  const whole = new Response(form)
  const type = whole.headers.get('content-type')
  return { headers: type === null ? {} : { 'content-type': type }, body: new Uint8Array(await whole.arrayBuffer()) }
}

function asAnswer(response: LibraryResponse): OutboundAnswer {
  const { status, ok, headers, body } = response
  return {
    status,
    isOk: ok,
    header: (name) => headers.get(name) ?? undefined,
    async read(maxBytes) {
      const pieces: Uint8Array[] = []
      let size = 0
      for await (const piece of body ?? []) {
        size += piece.length
        // Leaving the loop ends the connection.
        if (size > maxBytes) return undefined
        pieces.push(piece)
      }
      return Buffer.concat(pieces)
    },
    discard: () => void body?.cancel().catch(() => undefined),
  }
}
