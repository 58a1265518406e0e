import type { Environment } from '@hermes/core/agent/context.ts'
import type { WebClient } from '@slack/web-api'
import type { Dispatcher, RequestInit as ProxiedInit } from 'undici'
import { PlatformError } from '../platform-error.ts'
import { asConnectionError, asPlatformError, tooManyCalls } from './errors.ts'
import type { SlackSettings } from './settings.ts'

/** Slack's Web API, with its errors put into the gateway's. */
export interface SlackClient {
  /**
   * Calls a method with the token of a workspace; throws `PlatformError`, or the reason where `signal` aborts. While the
   * service wants no calls of a method, it is not called.
   */
  call<T>(token: string, method: string, run: (api: WebClient) => Promise<T>, options: CallOptions): Promise<T>
  /** A request past the Web API: files, response URLs. */
  fetch(url: string, init: FetchInit): Promise<Response>
  /** Whether the token may be shown to this address. */
  isOwnHost(url: string): boolean
  /** For a web socket: its options, and the way through a proxy where there is one. */
  readonly socketOptions: SocketOptions
  close(): Promise<void>
}

export interface CallOptions {
  readonly signal: AbortSignal
  /** Default 30 s. */
  readonly timeoutMs?: number
}

export interface FetchInit {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Blob | string
  readonly redirect?: 'manual' | 'error'
  readonly signal: AbortSignal
}

export interface SocketOptions {
  readonly clientOptions: ClientOptions
  readonly logger: typeof silent
  readonly dispatcher?: Dispatcher
}

type ClientOptions = NonNullable<ConstructorParameters<typeof WebClient>[1]>

const callMs = 30_000

/** Calls of one connection under way at once. */
const maxCalls = 32

/** Loads Slack's client. */
export async function openClient({ apiUrl }: SlackSettings, environment: Environment): Promise<SlackClient> {
  const [{ WebClient }, undici] = await Promise.all([import('@slack/web-api'), import('undici')])
  const dispatcher = proxied(environment) ? new undici.EnvHttpProxyAgent(proxiesOf(environment)) : undefined
  const penalties = new Map<string, number>()
  // Both are the same interface; declarations of Node and of undici name it apart.
  const fetchWith = (url: string | URL | Request, init: RequestInit) =>
    undici.fetch(
      url as string,
      { ...init, ...(dispatcher && { dispatcher }) } as ProxiedInit,
    ) as unknown as Promise<Response>
  const options = (signal?: AbortSignal): ClientOptions => ({
    slackApiUrl: apiUrl,
    logger: silent,
    // When to try again is the gateway's to decide.
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    maxRequestConcurrency: maxCalls,
    allowAbsoluteUrls: false,
    timeout: callMs,
    fetch: (url, init) => {
      const signals = [init?.signal, signal].filter((one) => one instanceof AbortSignal)
      return fetchWith(url, { ...init, signal: AbortSignal.any(signals) })
    },
  })

  return {
    async call(token, method, run, { signal, timeoutMs = callMs }) {
      signal.throwIfAborted()
      const key = `${token} ${method}`
      const waitMs = (penalties.get(key) ?? 0) - performance.now()
      if (waitMs > 0) throw tooManyCalls(method, waitMs)
      const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
      try {
        return await run(new WebClient(token, options(limit)))
      } catch (error) {
        signal.throwIfAborted()
        const known = asPlatformError(error, method)
        if (known instanceof PlatformError && known.code === 'rate-limited') {
          penalties.set(key, performance.now() + (known.retryAfterMs ?? 0))
        }
        throw known
      }
    },
    async fetch(url, { signal, ...init }) {
      try {
        return await fetchWith(url, { ...init, signal })
      } catch (error) {
        signal.throwIfAborted()
        throw asConnectionError(error, 'file')
      }
    },
    isOwnHost(url) {
      if (!URL.canParse(url)) return false
      const { protocol, hostname, origin } = new URL(url)
      if (origin === new URL(apiUrl).origin) return true
      return protocol === 'https:' && (hostname === 'slack.com' || hostname.endsWith('.slack.com'))
    },
    socketOptions: { clientOptions: options(), logger: silent, ...(dispatcher && { dispatcher }) },
    close: async () => dispatcher?.destroy(),
  }
}

function proxied(environment: Environment): boolean {
  const { httpProxy, httpsProxy } = proxiesOf(environment)
  return httpProxy !== undefined || httpsProxy !== undefined
}

/** Proxies that the environment names; those that are no HTTP proxies are left out. */
function proxiesOf(environment: Environment): { httpProxy?: string; httpsProxy?: string; noProxy?: string } {
  const of = (name: string) => environment[name] || environment[name.toLowerCase()] || undefined
  const http = (value: string | undefined) => (value !== undefined && /^https?:/i.test(value) ? value : undefined)
  const all = http(of('ALL_PROXY'))
  const [httpProxy, httpsProxy, noProxy] = [
    http(of('HTTP_PROXY')) ?? all,
    http(of('HTTPS_PROXY')) ?? all,
    of('NO_PROXY'),
  ]
  return {
    ...(httpProxy !== undefined && { httpProxy }),
    ...(httpsProxy !== undefined && { httpsProxy }),
    ...(noProxy !== undefined && { noProxy }),
  }
}

/** What Slack's clients log holds texts and tokens; what matters comes by errors. */
const silent = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  setLevel: () => {},
  // The type names an enum of a package that is not loaded here; its values are these words.
  getLevel: () => 'error' as never,
  setName: () => {},
}
