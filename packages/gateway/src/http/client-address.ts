import type { IncomingMessage } from 'node:http'

/**
 * Where a request comes from. Behind a reverse proxy on this machine it is what that has added to `X-Forwarded-For`; from
 * elsewhere that header is anybody's claim.
 */
export function clientAddress({ socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>): string {
  const peer = plain(socket.remoteAddress ?? '')
  if (!isProxied({ socket })) return peer
  const forwarded = headers['x-forwarded-for']
  const last = (Array.isArray(forwarded) ? forwarded.join(',') : forwarded)?.split(',').at(-1)?.trim()
  return last ? plain(last).slice(0, 100) : peer
}

/** Whether a reverse proxy on this machine may speak for the client. */
export function isProxied({ socket }: Pick<IncomingMessage, 'socket'>): boolean {
  return isThisMachine(plain(socket.remoteAddress ?? ''))
}

function plain(address: string): string {
  return address.startsWith('::ffff:') ? address.slice(7) : address
}

function isThisMachine(address: string): boolean {
  return address === '::1' || address.startsWith('127.')
}
