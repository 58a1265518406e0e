import type { Environment } from '../../agent/context.ts'
import { NetworkError } from './network-error.ts'
import type { WebUrl } from './parse-web-url.ts'

/**
 * The proxy that the environment names for a URL (`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`; lower case
 * first), undefined for none. Throws `NetworkError` for one that cannot be used: going round it could tell what it hides.
 */
export function proxyFor({ url, hostname, port }: WebUrl, environment: Environment): string | undefined {
  const setting = (name: string) => environment[name.toLowerCase()] || environment[name] || undefined
  const proxy = setting(url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY') ?? setting('ALL_PROXY')
  if (proxy === undefined || isExempt(hostname, port, setting('NO_PROXY') ?? '')) return undefined
  const parsed = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(proxy) ? proxy : `http://${proxy}`)
  if (parsed?.protocol === 'http:' || parsed?.protocol === 'https:') return parsed.href
  throw new NetworkError('unreachable', 'The proxy that the environment names is no http:// or https:// address')
}

/** Entries are hosts, which mean their subdomains too, with or without a port; `*` is everything. */
function isExempt(hostname: string, port: number, list: string): boolean {
  if (hostname === 'localhost' || hostname === '::1' || hostname.startsWith('127.')) return true
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      if (entry === '*') return true
      const [, bracketed, bare, digits] =
        /^(?:\[([^\]]+)\]|\*?\.?([^:]+|[^:]*(?::[^:]*){2,}))(?::(\d+))?$/.exec(entry) ?? []
      const name = bracketed ?? bare
      if (!name || (digits !== undefined && Number(digits) !== port)) return false
      return hostname === name || hostname.endsWith(`.${name}`)
    })
}
