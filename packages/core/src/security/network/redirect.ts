import { NetworkError } from './network-error.ts'

/** What is sent, as it may change from hop to hop. */
export interface Hop {
  readonly url: string
  readonly method: 'GET' | 'HEAD' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | undefined
}

/** What another site may be told. Everything else could be a credential. */
const harmlessHeaders: ReadonlySet<string> = new Set([
  'accept',
  'accept-language',
  'accept-encoding',
  'user-agent',
  'range',
])

/**
 * The next request after a redirect; undefined when the answer is none. Another origin gets no header that could be a
 * credential. Throws `NetworkError` `redirect` where what was posted would go to another origin.
 */
export function nextHop(hop: Hop, status: number, location: string | undefined): Hop | undefined {
  if (![301, 302, 303, 307, 308].includes(status) || location === undefined) return undefined
  const from = new URL(hop.url)
  const to = URL.parse(location, hop.url)
  if (!to) throw new NetworkError('redirect', `${from.host} redirects to what is no URL`)
  if (to.hash === '') to.hash = from.hash
  const becomesGet = hop.method === 'POST' && (status === 303 || status === 301 || status === 302)
  const isOther = to.origin !== from.origin
  if (isOther && hop.body !== undefined && !becomesGet) {
    throw new NetworkError('redirect', `${from.host} would hand what was sent to ${to.host}`)
  }
  const isKept = (name: string) => {
    const known = name.toLowerCase()
    return (!isOther || harmlessHeaders.has(known)) && (!becomesGet || !known.startsWith('content-'))
  }
  return {
    url: to.href,
    method: becomesGet ? 'GET' : hop.method,
    headers: Object.fromEntries(Object.entries(hop.headers).filter(([name]) => isKept(name))),
    body: becomesGet ? undefined : hop.body,
  }
}
