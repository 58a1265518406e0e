import type { IncomingMessage } from 'node:http'
import { isProxied } from './client-address.ts'

/** A name or an address with its port, and nothing that could end a policy or mean several hosts. */
const plainHost = /^(?:[a-z0-9](?:[a-z0-9.-]{0,252})|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i

/** By which names a browser reaches us: its own, also behind a reverse proxy on this machine. */
export function ownHosts(request: Pick<IncomingMessage, 'socket' | 'headers'>): readonly string[] {
  const forwarded = isProxied(request) ? request.headers['x-forwarded-host'] : undefined
  const named = [request.headers.host, forwarded].flatMap((value) => value ?? [])
  return [...new Set(named.filter((host) => plainHost.test(host)))]
}
