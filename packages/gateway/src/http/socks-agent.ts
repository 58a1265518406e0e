import { Agent as HttpAgent } from 'node:http'
import type { AgentOptions, ClientRequestArgs } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { Duplex } from 'node:stream'
import type { SocksProxy } from 'socks'

/** Kinds of proxies by the beginnings of their addresses; all of them look names up themselves. */
export const socksKinds = ['socks:', 'socks5:', 'socks5h:', 'socks4:', 'socks4a:'] as const

/** What opens connections through a SOCKS proxy, with TLS inside where it is asked for. */
export interface SocksAgents {
  readonly http: HttpAgent
  readonly https: HttpsAgent
}

/** `connectMs`: longest that a connection takes to come about. */
export function createSocksAgents(address: string, options: AgentOptions, connectMs: number): SocksAgents {
  const open = (to: ClientRequestArgs) => connectBy(readProxy(address), to, connectMs)
  class PlainAgent extends HttpAgent {
    override createConnection(to: ClientRequestArgs, done: Done): undefined {
      void hand(open(to), done)
    }
  }
  class TlsAgent extends HttpsAgent {
    override createConnection(to: ClientRequestArgs, done: Done): undefined {
      const inside = (socket: Socket) => connectTls({ ...to, path: undefined, socket } as object)
      void hand(open(to).then(inside), done)
    }
  }
  return { http: new PlainAgent(options), https: new TlsAgent(options) }
}

type Done = (error: Error | null, socket?: Duplex) => void

/** What was never connected was never sent, as the code of the failure tells. */
async function hand(opening: Promise<Duplex>, done: Done): Promise<void> {
  let socket
  try {
    socket = await opening
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return done(Object.assign(new Error(`The SOCKS proxy: ${reason}`), { code: 'ECONNREFUSED' }))
  }
  done(null, socket)
}

async function connectBy(proxy: SocksProxy, to: ClientRequestArgs, timeout: number): Promise<Socket> {
  const { SocksClient } = await import('socks')
  const destination = { host: to.host ?? 'localhost', port: Number(to.port) }
  const { socket } = await SocksClient.createConnection({ proxy, command: 'connect', destination, timeout })
  return socket
}

function readProxy(address: string): SocksProxy {
  const { protocol, hostname, port, username, password } = new URL(address)
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? 1080 : Number(port),
    type: protocol.startsWith('socks4') ? 4 : 5,
    ...(username !== '' && { userId: decodeURIComponent(username) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
  }
}
