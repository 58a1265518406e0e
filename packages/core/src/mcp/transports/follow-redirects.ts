import type { FetchLike } from '@modelcontextprotocol/client'

const maxRedirects = 5

/** Headers that never go to another origin than the one they are for. */
const credentials: ReadonlySet<string> = new Set(['authorization', 'cookie', 'proxy-authorization', 'mcp-session-id'])

/**
 * Follows redirects: another origin gets neither credentials nor the headers that the person has set for the server, and
 * a message (POST) only goes on where the answer says so (307, 308).
 */
export function followRedirects(fetch: FetchLike, ownHeaders: Iterable<string>): FetchLike {
  const kept = new Set([...credentials, ...[...ownHeaders].map((name) => name.toLowerCase())])
  return async (target, init = {}) => {
    let url = new URL(target)
    let headers = new Headers(init.headers)
    for (let hops = 0; ; hops++) {
      const response = await fetch(url, { ...init, headers, redirect: 'manual' })
      const next = nextUrl(response, url)
      if (!next) return response
      const keepsMethod = response.status === 307 || response.status === 308
      if (!keepsMethod && (init.method ?? 'GET').toUpperCase() !== 'GET') return response
      await response.body?.cancel()
      if (hops >= maxRedirects) throw new Error(`more than ${maxRedirects} redirects from ${new URL(target).origin}`)
      if (next.protocol !== 'https:' && next.origin !== url.origin && url.protocol === 'https:') {
        throw new Error(`${url.origin} redirects to an address without encryption`)
      }
      if (next.origin !== url.origin) headers = new Headers([...headers].filter(([name]) => !kept.has(name)))
      url = next
    }
  }
}

function nextUrl(response: Response, from: URL): URL | undefined {
  if (![301, 302, 303, 307, 308].includes(response.status)) return undefined
  const location = response.headers.get('location')
  const next = location === null ? null : URL.parse(location, from.href)
  return next && /^https?:$/.test(next.protocol) ? next : undefined
}
