import type { z } from 'zod'
import { MemoryProviderError } from '../memory-provider-error.ts'
import { createCircuitBreaker } from './circuit-breaker.ts'
import { jsonIn, serviceRefusal } from './service-refusal.ts'

/** Where a memory service is and how it is spoken to. */
export interface ServiceClientOptions {
  /** Its name in messages, e.g. `Mem0`. */
  readonly service: string
  readonly baseUrl: string
  /** The header that carries the key; absent for services that take none. */
  readonly auth?: ServiceAuth
  readonly headers?: Readonly<Record<string, string>>
  /** What a person does when the key is refused, e.g. `Check MEM0_API_KEY in .env.` */
  readonly keyHint: string
  /** Most time of one call, with its second tries. Default 15 s. */
  readonly timeoutMs?: number
  /** The breaker's time. Default the machine's. */
  readonly now?: () => number
}

export interface ServiceAuth {
  /** Default `authorization`. */
  readonly header?: string
  /** What stands before the key, e.g. `Bearer`. */
  readonly scheme?: string
  readonly key: string
}

export interface ServiceRequest {
  /** Default `GET`. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** From the base URL on, its parts encoded (see `servicePath`). */
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  /** Sent as JSON, or as it is when it is a form. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly timeoutMs?: number
}

/** Speaks JSON over HTTP with one service. */
export interface ServiceClient {
  /**
   * One call, its answer parsed by `schema` (an empty body is `undefined`). Throws `MemoryProviderError`, or the reason
   * of `signal` untouched. A refusal for being too many (429), or 503, is tried again when the service says how soon.
   */
  call<T>(schema: z.ZodType<T>, request: ServiceRequest, signal: AbortSignal): Promise<T>
}

const defaultTimeoutMs = 15_000
const maxAnswerBytes = 8 * 1024 * 1024
const maxTries = 3
const minRetryMs = 100
/** Longer waits than this are the caller's to decide. */
const maxRetryAfterMs = 5_000

/** A client of a service. Nothing is sent before the first call; throws `MemoryProviderError` for a bad URL. */
export function createServiceClient(options: ServiceClientOptions): ServiceClient {
  const base = checkedBase(options)
  const breaker = createCircuitBreaker(options.service, options.now)

  async function attempt(request: ServiceRequest, signal: AbortSignal): Promise<string> {
    const response = await fetch(urlOf(base, request), {
      method: request.method ?? 'GET',
      headers: headersOf(options, request),
      body: bodyOf(request.body),
      // A key in a header of its own would follow a redirect to another host.
      redirect: 'manual',
      signal,
    })
    const text = await boundedText(response)
    if (response.ok) return text
    throw serviceRefusal(response, text, { ...options, now: options.now?.() ?? Date.now() })
  }

  async function send(request: ServiceRequest, signal: AbortSignal): Promise<string> {
    for (let tries = 1; ; tries++) {
      try {
        return await attempt(request, signal)
      } catch (error) {
        const waitMs = retryWait(error)
        if (waitMs === undefined || tries === maxTries) throw error
        // A wait of nothing would be no wait at all.
        await pause(Math.max(waitMs, minRetryMs * tries), signal)
      }
    }
  }

  return {
    async call(schema, request, signal) {
      signal.throwIfAborted()
      breaker.check()
      const timeoutMs = request.timeoutMs ?? options.timeoutMs ?? defaultTimeoutMs
      const timeout = AbortSignal.timeout(timeoutMs)
      let text: string
      try {
        text = await send(request, AbortSignal.any([signal, timeout]))
      } catch (error) {
        if (signal.aborted) throw signal.reason
        const failure = asProviderError(error, options, base, timeout.aborted ? timeoutMs : undefined)
        breaker.failed(failure)
        throw failure
      }
      breaker.succeeded()
      return parsed(schema, text, options.service)
    },
  }
}

/** A path whose parts are encoded: servicePath`/v1/peers/${id}`. */
export function servicePath(texts: TemplateStringsArray, ...parts: readonly string[]): string {
  return texts.map((text, index) => text + encodeURIComponent(parts[index] ?? '')).join('')
}

function checkedBase({ service, baseUrl }: ServiceClientOptions): string {
  const url = URL.parse(baseUrl)
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new MemoryProviderError('unconfigured', `The address of ${service} is no http(s) URL. Correct its setting.`)
  }
  if (url.username !== '' || url.password !== '') {
    throw new MemoryProviderError('unconfigured', `The address of ${service} must hold no user name or password.`)
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}

function urlOf(base: string, { path, query = {} }: ServiceRequest): string {
  const url = new URL(base + path)
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value))
  }
  return url.href
}

function headersOf({ auth, headers, service }: ServiceClientOptions, request: ServiceRequest): Headers {
  const isJson = request.body !== undefined && !(request.body instanceof FormData)
  const all = new Headers({ accept: 'application/json', ...(isJson && { 'content-type': 'application/json' }) })
  for (const [name, value] of Object.entries({ ...headers, ...request.headers })) all.set(name, value)
  if (auth === undefined) return all
  if (!/^[\x21-\x7e]+$/.test(auth.key)) {
    throw new MemoryProviderError('unconfigured', `The key of ${service} has characters that no key has. Set it anew.`)
  }
  all.set(auth.header ?? 'authorization', auth.scheme === undefined ? auth.key : `${auth.scheme} ${auth.key}`)
  return all
}

function bodyOf(body: unknown): string | FormData | undefined {
  if (body === undefined) return undefined
  return body instanceof FormData ? body : JSON.stringify(body)
}

async function boundedText(response: Response): Promise<string> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of response.body ?? []) {
    bytes += piece.byteLength
    if (bytes > maxAnswerBytes) {
      throw new MemoryProviderError('refused', `The service's answer is longer than ${maxAnswerBytes} bytes.`)
    }
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}

function retryWait(error: unknown): number | undefined {
  if (!(error instanceof MemoryProviderError) || (error.status !== 429 && error.status !== 503)) return undefined
  return error.retryAfterMs !== undefined && error.retryAfterMs <= maxRetryAfterMs ? error.retryAfterMs : undefined
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal.addEventListener('abort', stop, { once: true })
  })
}

function asProviderError(
  error: unknown,
  { service }: ServiceClientOptions,
  base: string,
  timedOutMs: number | undefined,
): MemoryProviderError {
  if (error instanceof MemoryProviderError) return error
  const how = timedOutMs === undefined ? 'cannot be reached' : `did not answer within ${timedOutMs / 1000} s`
  return new MemoryProviderError('unreachable', `${service} ${how} at ${base}.`, { cause: error })
}

function parsed<T>(schema: z.ZodType<T>, text: string, service: string): T {
  const result = schema.safeParse(jsonIn(text))
  if (result.success) return result.data
  const [issue] = result.error.issues
  const where = issue === undefined || issue.path.length === 0 ? 'its answer' : issue.path.join('.')
  throw new MemoryProviderError('refused', `${service} answered in a form that is not known (${where}).`)
}
