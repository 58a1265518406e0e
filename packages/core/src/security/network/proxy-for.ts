import type { Environment } from '../../agent/context.ts'
import { NetworkError } from './network-error.ts'
import type { WebUrl } from './parse-web-url.ts'

/**
 * The proxy that the environment names for a URL (`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`; lower case
 * first), undefined for none. Throws `NetworkError` for one that cannot be used: going round it could tell what it hides.
 * `kinds`: beginnings of proxies' addresses that the caller can use.
 */
export function proxyFor(
  { url, hostname, port }: WebUrl,
  environment: Environment,
  kinds: readonly string[] = ['http:', 'https:'],
): string | undefined {
  const setting = (name: string) => environment[name.toLowerCase()] || environment[name] || undefined
  const proxy = setting(url.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY') ?? setting('ALL_PROXY')
  if (proxy === undefined || isExempt(hostname, port, setting('NO_PROXY') ?? '')) return undefined
  const parsed = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(proxy) ? proxy : `http://${proxy}`)
  if (parsed && kinds.includes(parsed.protocol)) return parsed.href
  const known = kinds.map((kind) => `${kind}//`).join(', ')
  throw new NetworkError('unreachable', `The proxy that the environment names is no address of these: ${known}`)
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
