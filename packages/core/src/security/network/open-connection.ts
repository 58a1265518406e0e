import type { LookupFunction, Socket } from 'node:net'
import type { Dispatcher } from 'undici'
import { normalAddress } from './address-kind.ts'
import { NetworkError } from './network-error.ts'

export interface ConnectionTarget {
  /** The addresses that were judged; nothing else is connected to. */
  readonly addresses: readonly string[]
  /** A proxy's URL, which may hold its name and password. */
  readonly proxy: string | undefined
  readonly connectMs: number
}

/**
 * What sends one request, over a connection of its own. The host is not looked up again: its name serves for TLS and the
 * `Host` header alone. Through a proxy it is the proxy that looks the name up. Close it when the answer has been read.
 */
export async function openConnection({ addresses, proxy, connectMs }: ConnectionTarget): Promise<Dispatcher> {
  const { Agent, ProxyAgent, buildConnector } = await import('undici')
  const limits = { connections: 1, pipelining: 1, maxHeaderSize: 64 * 1024, allowH2: false } as const
  if (proxy !== undefined) return new ProxyAgent({ ...limits, uri: proxy, connectTimeout: connectMs })
  const connect = buildConnector({ timeout: connectMs, allowH2: false, lookup: fixedLookup(addresses) })
  return new Agent({
    ...limits,
    connect: (options, callback) => {
      connect(options, (...[error, socket]) => {
        if (error) return callback(error, null)
        const problem = elsewhere(socket, addresses)
        if (!problem) return callback(null, socket)
        socket.destroy()
        callback(problem, null)
      })
    },
  })
}

/** Answers with what was judged, whatever is asked. */
function fixedLookup(addresses: readonly string[]): LookupFunction {
  const known = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  return (_hostname, { all, family }, callback) => {
    const wanted = known.filter((one) => !family || `${family}`.endsWith(String(one.family)))
    const [first] = wanted
    if (all) callback(null, wanted)
    else if (first) callback(null, first.address, first.family)
    else callback(new Error('no address of that family'), '')
  }
}

/** Looks at the connection itself: a literal address is never looked up. */
function elsewhere(socket: Socket, addresses: readonly string[]): NetworkError | undefined {
  const reached = normalAddress(socket.remoteAddress ?? '')
  if (reached !== undefined && addresses.some((address) => normalAddress(address) === reached)) return undefined
  return new NetworkError('private', `The connection led to ${reached ?? 'nowhere'}, which is not what was checked`)
}
