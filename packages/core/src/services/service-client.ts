import type { z } from 'zod'
import type { Environment } from '../agent/context.ts'
import { sleep } from '../models/retry.ts'
import { boundedText, toFile } from './answer-body.ts'
import type { DownloadedFile, DownloadTarget } from './answer-body.ts'
import type { CircuitBreaker } from './circuit-breaker.ts'
import { sendRequest } from './send-request.ts'
import { ServiceError } from './service-error.ts'
import { jsonIn, serviceRefusal } from './service-refusal.ts'

/** Where a service is and how it is spoken to. */
export interface ServiceClientOptions {
  /** Its name in messages, e.g. `ElevenLabs`. */
  readonly service: string
  /** From the settings or our own: never from a model, since it is reached without the guards of `security/network`. */
  readonly baseUrl: string
  /** The header that carries the key; absent for services that take none. */
  readonly auth?: ServiceAuth
  readonly headers?: Readonly<Record<string, string>>
  /** What a person does when the key is refused, e.g. `Check FAL_KEY in .env.` */
  readonly keyHint: string
  /** Most time of one call, with its second tries. Default 15 s. */
  readonly timeoutMs?: number
  /** Whose `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` hold. No proxy is used without it. */
  readonly environment?: Environment
  /** Leaves a service that is down alone for a while. */
  readonly breaker?: CircuitBreaker
  /** Milliseconds since the epoch. Default the machine's. */
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
  /** Longest answer that is taken as JSON. Default 8 MiB. */
  readonly maxAnswerBytes?: number
}

/** Speaks with one service over HTTP. Every method throws `ServiceError`, or the reason of its signal untouched. */
export interface ServiceClient {
  /**
   * One call, its answer of JSON parsed by `schema` (an empty body is `undefined`). A refusal for being
   * too many (429), or 503, is tried again when the service says how soon.
   */
  call<T>(schema: z.ZodType<T>, request: ServiceRequest, signal: AbortSignal): Promise<T>
  /** One call whose answer is a file: written as it comes, and there whole or not at all. */
  download(request: ServiceRequest, target: DownloadTarget, signal: AbortSignal): Promise<DownloadedFile>
}

const defaultTimeoutMs = 15_000
const maxTries = 3
const minRetryMs = 100
/** Longer waits than this are the caller's to decide. */
const maxRetryAfterMs = 5_000

/** A client of a service. Nothing is sent before the first call; throws `ServiceError` for a bad URL. */
export function createServiceClient(options: ServiceClientOptions): ServiceClient {
  const base = checkedBase(options)
  const { service, breaker } = options

  async function attempt<T>(request: ServiceRequest, read: ReadAnswer<T>, signal: AbortSignal): Promise<T> {
    const response = await sendRequest(base, request, options, signal)
    if (response.ok) return read(response, signal)
    const text = await boundedText(response, service)
    throw serviceRefusal(response, text, { ...options, now: options.now?.() ?? Date.now() })
  }

  async function send<T>(request: ServiceRequest, read: ReadAnswer<T>, signal: AbortSignal): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await attempt(request, read, signal)
      } catch (error) {
        const waitMs = retryWait(error)
        if (waitMs === undefined || tries === maxTries) throw error
        // A wait of nothing would be no wait at all.
        await sleep(Math.max(waitMs, minRetryMs * tries), signal)
      }
    }
  }

  async function ask<T>(request: ServiceRequest, read: ReadAnswer<T>, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted()
    breaker?.check()
    const timeoutMs = request.timeoutMs ?? options.timeoutMs ?? defaultTimeoutMs
    const timeout = AbortSignal.timeout(timeoutMs)
    try {
      const answer = await send(request, read, AbortSignal.any([signal, timeout]))
      breaker?.succeeded()
      return answer
    } catch (error) {
      if (signal.aborted) throw signal.reason
      const failure = asServiceError(error, service, base, timeout.aborted ? timeoutMs : undefined)
      breaker?.failed(failure)
      throw failure
    }
  }

  return {
    async call(schema, request, signal) {
      const read = (response: Response) => boundedText(response, service, request.maxAnswerBytes)
      return parsed(schema, await ask(request, read, signal), service)
    },
    download: (request, target, signal) =>
      ask(request, (response, limited) => toFile(response, target, options, limited), signal),
  }
}

type ReadAnswer<T> = (response: Response, signal: AbortSignal) => Promise<T>

/** A path whose parts are encoded: servicePath`/v1/peers/${id}`. */
export function servicePath(texts: TemplateStringsArray, ...parts: readonly string[]): string {
  return texts.map((text, index) => text + encodeURIComponent(parts[index] ?? '')).join('')
}

function checkedBase({ service, baseUrl }: ServiceClientOptions): string {
  const url = URL.parse(baseUrl)
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new ServiceError('unconfigured', `The address of ${service} is no http(s) URL. Correct its setting.`)
  }
  if (url.username !== '' || url.password !== '') {
    throw new ServiceError('unconfigured', `The address of ${service} must hold no user name or password.`)
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`
}

function retryWait(error: unknown): number | undefined {
  if (!(error instanceof ServiceError) || (error.status !== 429 && error.status !== 503)) return undefined
  return error.retryAfterMs !== undefined && error.retryAfterMs <= maxRetryAfterMs ? error.retryAfterMs : undefined
}

function asServiceError(error: unknown, service: string, base: string, timedOutMs: number | undefined): ServiceError {
  if (error instanceof ServiceError) return error
  if (timedOutMs !== undefined) {
    return new ServiceError('timeout', `${service} did not answer within ${timedOutMs / 1000} s at ${base}.`, {
      cause: error,
    })
  }
  // Failures of the own disk are not the service's.
  if (error instanceof Error && 'syscall' in error && 'path' in error) {
    const path = String(error.path)
    return new ServiceError('refused', `What ${service} sent cannot be written to ${path}.`, { cause: error })
  }
  return new ServiceError('unreachable', `${service} cannot be reached at ${base}.`, { cause: error })
}

function parsed<T>(schema: z.ZodType<T>, text: string, service: string): T {
  const result = schema.safeParse(jsonIn(text))
  if (result.success) return result.data
  const [issue] = result.error.issues
  const where = issue === undefined || issue.path.length === 0 ? 'its answer' : issue.path.join('.')
  throw new ServiceError('malformed', `${service} answered in a form that is not known (${where}).`)
}
