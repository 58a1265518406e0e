import type { Environment } from '../../agent/context.ts'
import type { Home } from '../../config/home.ts'
import { checkUrl } from './check-url.ts'
import type { UrlVerdict } from './check-url.ts'
import type { Exchange } from './exchange.ts'
import { NetworkError } from './network-error.ts'
import { networkRules } from './network-rules.ts'
import type { NetworkSettings } from './network-rules.ts'
import { nextHop } from './redirect.ts'
import type { Hop } from './redirect.ts'
import type { ResolveHost } from './resolve-host.ts'

export interface FetchLimits {
  /** Of the body, as it comes and unpacked. */
  readonly maxBytes: number
  readonly maxRedirects: number
  readonly connectMs: number
  /** Without a byte from the server. */
  readonly silenceMs: number
  /** For all of it, redirects and body included. */
  readonly totalMs: number
}

const usualLimits: FetchLimits = {
  maxBytes: 10 * 1024 * 1024,
  maxRedirects: 5,
  connectMs: 10_000,
  silenceMs: 20_000,
  totalMs: 60_000,
}

export interface GuardedRequest {
  readonly url: string
  /** `GET` unless given. */
  readonly method?: Hop['method']
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  readonly limits?: Partial<FetchLimits>
}

/** An answer of any status. Dispose of it also when the body is not read. */
export interface GuardedResponse extends AsyncDisposable {
  readonly status: number
  /** In lower case; those that came more than once joined with commas. */
  readonly headers: Readonly<Record<string, string>>
  /** Where the answer came from. */
  readonly url: string
  /** The URLs that led there, the first one first; without the last. */
  readonly redirectedFrom: readonly string[]
  /** Unpacked. Throws `NetworkError`; when the signal aborts, its reason. Once only. */
  readonly body: AsyncIterable<Uint8Array>
  /** The whole of `body`. */
  bytes(): Promise<Buffer>
}

/** The one way in which URLs that come from a model, a person or a platform are fetched. */
export interface GuardedFetch {
  /** Throws `NetworkError`; when `signal` aborts, its reason. */
  fetch(request: GuardedRequest, signal: AbortSignal): Promise<GuardedResponse>
  /** What `fetch` would say of a URL, before redirects. Nothing is sent to it; its host is looked up. */
  check(url: string, signal: AbortSignal): Promise<UrlVerdict>
}

export interface GuardedFetchOptions {
  readonly home: Home
  readonly environment: Environment
  /** `config.security`. */
  readonly settings: NetworkSettings
  /** How names are looked up; as the machine does unless given. */
  readonly resolve?: ResolveHost
}

/**
 * Makes the guarded fetch of a profile. Each hop is judged by its addresses, found by one look-up, and only those are
 * connected to. No cookies are kept and no referrer is sent.
 */
export function createGuardedFetch({ home, environment, settings, resolve }: GuardedFetchOptions): GuardedFetch {
  const rules = networkRules(settings, { home, resolve })
  return {
    check: (url, signal) => checkUrl(url, rules, signal),
    async fetch({ url, method = 'GET', headers = {}, body, limits: given }, signal) {
      const limits = { ...usualLimits, ...given }
      const { startExchange } = await import('./exchange.ts')
      const budget = startBudget(limits.totalMs, signal)
      const redirectedFrom: string[] = []
      let hop: Hop = { url, method, headers: withDefaults(headers), body }
      try {
        for (;;) {
          const verdict = await checkUrl(hop.url, rules, budget.signal)
          if (!verdict.allowed) {
            throw new NetworkError(verdict.code, verdict.reason, verdict.policy && { policy: verdict.policy })
          }
          const exchange = await startExchange({ hop, verdict, environment, limits }, budget.signal)
          const next = await followed(exchange, hop)
          if (!next) return answer(exchange, { hop, redirectedFrom, budget })
          redirectedFrom.push(hop.url)
          if (redirectedFrom.length > limits.maxRedirects) {
            throw new NetworkError('redirect', `More than ${limits.maxRedirects} redirects`)
          }
          hop = next
        }
      } catch (error) {
        budget.end()
        throw budget.explain(error, hop.url)
      }
    },
  }
}

async function followed(exchange: Exchange, hop: Hop): Promise<Hop | undefined> {
  let next: Hop | undefined
  try {
    next = nextHop(hop, exchange.status, exchange.headers['location'])
  } catch (error) {
    await exchange.close()
    throw error
  }
  if (next) await exchange.close()
  return next
}

function withDefaults(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  return { 'user-agent': 'Hermes/1.0', 'accept-encoding': 'gzip, deflate, br', accept: '*/*', ...given }
}

interface Budget {
  readonly signal: AbortSignal
  end(): void
  /** The person's own stop as it is; the end of the time as `timeout`. */
  explain(error: unknown, url: string): unknown
}

function startBudget(totalMs: number, signal: AbortSignal): Budget {
  const time = new AbortController()
  const timer = setTimeout(() => time.abort(), totalMs)
  return {
    signal: AbortSignal.any([signal, time.signal]),
    end: () => clearTimeout(timer),
    explain(error, url) {
      if (signal.aborted) return signal.reason
      if (!time.signal.aborted) return error
      const host = URL.parse(url)?.host ?? 'The server'
      return new NetworkError('timeout', `${host} took longer than ${totalMs / 1000} s`, { cause: error })
    },
  }
}

function answer(
  exchange: Exchange,
  {
    hop,
    redirectedFrom,
    budget,
  }: { readonly hop: Hop; readonly redirectedFrom: readonly string[]; readonly budget: Budget },
): GuardedResponse {
  const close = async () => {
    budget.end()
    await exchange.close()
  }
  const body = (async function* () {
    try {
      yield* exchange.body
    } catch (error) {
      throw budget.explain(error, hop.url)
    } finally {
      await close()
    }
  })()
  return {
    status: exchange.status,
    headers: exchange.headers,
    url: hop.url,
    redirectedFrom,
    body,
    bytes: async () => Buffer.concat(await Array.fromAsync(body)),
    [Symbol.asyncDispose]: close,
  }
}
