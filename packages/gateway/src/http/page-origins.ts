import type { IncomingMessage } from 'node:http'
import type { Logger } from '@hermes/core/log/logger.ts'
import { ownHosts } from './own-hosts.ts'

/** Pages that may open a WebSocket beside our own. */
export interface PageOrigins {
  /** As browsers name them, `https://app.example.org`; `*`: those of every site. */
  readonly allowed: readonly string[]
  /** The setting that lets more in, for people. */
  readonly variable: string
  readonly log: Pick<Logger, 'warn'>
}

/** Refused origins that are told; of more nothing is said. */
const maxTold = 20

/**
 * Whether a WebSocket may be opened from where it is asked for. Browsers let the pages of every site open one, and name the
 * page's origin; programs name none, or the host that they call. Without this each page that somebody looks at could try
 * tokens from their own machine, and have that machine locked out.
 */
export function createOriginCheck({ allowed, variable, log }: PageOrigins) {
  const told = new Set<string>()
  return (request: Pick<IncomingMessage, 'socket' | 'headers'>): boolean => {
    const { origin } = request.headers
    if (origin === undefined || allowed.includes('*') || allowed.includes(origin.toLowerCase())) return true
    if (ownHosts(request).some((host) => isOf(origin, host))) return true
    if (told.size < maxTold && !told.has(origin)) {
      told.add(origin)
      log.warn({ origin: origin.slice(0, 200) }, `a page of another site was refused; ${variable} lets pages in`)
    }
    return false
  }
}

/** Whether an origin is that of a host. A proxy that ends TLS does not say so in the host. */
function isOf(origin: string, host: string): boolean {
  const page = URL.parse(origin)
  if (page?.protocol !== 'http:' && page?.protocol !== 'https:') return false
  return page.host === URL.parse(`${page.protocol}//${host}`)?.host
}

/** Origins out of a setting: a list, or a text with commas; and that of the address by which we are reached. */
export function readOrigins(value: unknown, publicUrl = ''): readonly string[] {
  const given: readonly unknown[] = Array.isArray(value) ? value : typeof value === 'string' ? value.split(',') : []
  const named = given.flatMap((one) =>
    typeof one === 'string' ? one.trim().replace(/\/+$/, '').toLowerCase() || [] : [],
  )
  const own = URL.parse(publicUrl)?.origin
  return own === undefined || own === 'null' ? named : [...named, own]
}
