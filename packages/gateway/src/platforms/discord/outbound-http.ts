import type { Environment } from '@hermes/core/agent/context.ts'
import { proxyFor } from '@hermes/core/security/network/proxy-for.ts'

/** Sends a request. */
export type SendHttp = (url: string, init: RequestInit) => Promise<Response>

export interface OutboundHttp {
  readonly send: SendHttp
  readonly connect: (url: string) => Promise<WebSocket>
  close(): Promise<void>
}

/** Requests and web sockets, through `DISCORD_PROXY` or the proxy that the environment names for all. */
export function openOutbound(environment: Environment, own: string | undefined): OutboundHttp {
  const agents = new Map<string, { destroy(): Promise<void> }>()

  const proxyOf = (address: string): string | undefined => {
    const url = new URL(address.replace(/^ws/, 'http'))
    const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
    const named = own === undefined ? environment : { ALL_PROXY: own, NO_PROXY: environment['NO_PROXY'] }
    return proxyFor({ url, hostname: url.hostname.replace(/^\[|\]$/g, ''), port }, named)
  }

  /** Node's own takes no proxy of ours; the library's takes no form of Node's. */
  async function through(proxy: string) {
    const library = await import('undici')
    const known = agents.get(proxy)
    const agent =
      known instanceof library.ProxyAgent ? known : new library.ProxyAgent({ uri: proxy, proxyTunnel: true })
    agents.set(proxy, agent)
    return { library, agent }
  }

  return {
    async send(url, init) {
      const proxy = proxyOf(url)
      if (proxy === undefined) return fetch(url, { ...init, redirect: 'error' })
      const { library, agent } = await through(proxy)
      const whole = new Response(init.body ?? null)
      const type = whole.headers.get('content-type')
      const headers = {
        ...(type !== null && { 'content-type': type }),
        ...Object.fromEntries(new Headers(init.headers)),
      }
      const bytes = init.body === undefined ? undefined : new Uint8Array(await whole.arrayBuffer())
      return library.fetch(url, {
        method: init.method ?? 'GET',
        headers,
        redirect: 'error',
        dispatcher: agent,
        ...(init.signal && { signal: init.signal }),
        ...(bytes && { body: bytes }),
      })
    },
    async connect(url) {
      const proxy = proxyOf(url)
      if (proxy === undefined) return new WebSocket(url)
      const { library, agent } = await through(proxy)
      return new library.WebSocket(url, { dispatcher: agent })
    },
    async close() {
      await Promise.all([...agents.values()].map((agent) => agent.destroy()))
    },
  }
}
