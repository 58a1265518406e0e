import { request as plainRequest } from 'node:http'
import { request as secureRequest } from 'node:https'
import type { Socket } from 'node:net'
import { NetworkError } from '../../security/network/network-error.ts'
import type { WebUrl } from '../../security/network/parse-web-url.ts'

/** A tunnel through a proxy (`CONNECT`), whose URL may hold a name and a password. Throws `NetworkError`. */
export async function connectThrough(
  proxy: string,
  { hostname, port }: WebUrl,
  { signal, timeoutMs }: { readonly signal: AbortSignal; readonly timeoutMs: number },
): Promise<Socket> {
  const url = new URL(proxy)
  const host = hostname.includes(':') ? `[${hostname}]` : hostname
  const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const send = url.protocol === 'https:' ? secureRequest : plainRequest
  const request = send({
    host: url.hostname,
    port: url.port || (url.protocol === 'https:' ? 443 : 80),
    method: 'CONNECT',
    path: `${host}:${port}`,
    headers: {
      host: `${host}:${port}`,
      ...(url.username !== '' && { 'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}` }),
    },
    agent: false,
    signal,
    timeout: timeoutMs,
  })
  request.once('connect', (response, socket) => {
    if (response.statusCode === 200) return resolve(socket)
    socket.destroy()
    reject(new NetworkError('unreachable', `The proxy refused to connect to ${hostname}`))
  })
  request.once('timeout', () => request.destroy())
  request.once('error', () => reject(new NetworkError('unreachable', 'The proxy cannot be reached')))
  request.end()
  return promise
}
