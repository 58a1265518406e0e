import { timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import { HttpError } from './http-error.ts'

/** Whether a bearer key is the right one, in a time that does not depend on where they differ. */
export function createKeyCheck(key: string): (authorization: string | undefined) => boolean {
  const expected = Buffer.from(key)
  return (authorization) => {
    const [, text = ''] = /^Bearer\s+(\S|\S.*\S)\s*$/i.exec(authorization ?? '') ?? []
    const given = Buffer.from(text)
    const isSameLength = given.length === expected.length
    // One of another length is compared too.
    return timingSafeEqual(isSameLength ? given : expected, expected) && isSameLength && text !== ''
  }
}

/**
 * Headers with which a page of another origin may read the answer: none where it may not. Requests without an `Origin`
 * come from programs and always pass. Throws `HttpError` where the origin is not let in.
 */
export function corsHeaders(
  { origin, 'access-control-request-headers': asked }: IncomingHttpHeaders,
  allowed: readonly string[],
): Readonly<Record<string, string>> {
  if (origin === undefined) return {}
  const isAny = allowed.includes('*')
  if (!isAny && !allowed.includes(origin)) {
    throw new HttpError(403, 'origin_not_allowed', 'Pages of this origin may not use this server.')
  }
  return {
    'access-control-allow-origin': isAny ? '*' : origin,
    'access-control-allow-methods': 'GET, POST, PATCH, DELETE, OPTIONS',
    // Clients in browsers send headers of their own, which change with their versions.
    'access-control-allow-headers': asked ?? 'Authorization, Content-Type, Idempotency-Key, X-Hermes-Session-Id',
    'access-control-expose-headers': 'X-Hermes-Session-Id, X-Should-Retry, Retry-After',
    'access-control-max-age': '600',
    vary: isAny ? 'Access-Control-Request-Headers' : 'Origin, Access-Control-Request-Headers',
  }
}

/**
 * Without a key only this machine's own names let a request in: a page on the internet can point its name at loopback, and
 * its requests then carry no `Origin`. Throws `HttpError`.
 */
export function checkHost({ host }: IncomingHttpHeaders, bound: string): void {
  const name = (host ?? '')
    .replace(/:\d+$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase()
  if (name === '' || name === 'localhost' || name === bound.toLowerCase() || isLoopbackAddress(name)) return
  throw new HttpError(403, 'host_not_allowed', 'Without a key this server answers only to localhost.')
}

/** IPv4, IPv6, and IPv4 inside IPv6. */
export function isLoopbackAddress(address: string): boolean {
  const inner = address.replace(/^::ffff:/i, '')
  if (isIP(inner) === 4) return inner.startsWith('127.')
  return isIP(address) === 6 && /^(?:0*:)*:?0*1$/.test(address)
}
