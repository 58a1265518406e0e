import { ServiceError } from './service-error.ts'
import type { ServiceErrorCode } from './service-error.ts'

/** What is said of the service in a refusal. */
export interface RefusalWords {
  readonly service: string
  /** What a person does when the key is refused. */
  readonly keyHint: string
  /** Whose key is in no word of it. */
  readonly auth?: { readonly key: string } | undefined
  /** Milliseconds since the epoch. */
  readonly now: number
}

/** Why a service said no: its status explained, its own words, and how long it asks to be left alone. */
export function serviceRefusal(response: Response, text: string, words: RefusalWords): ServiceError {
  const { status } = response
  const retryAfterMs = parseRetryAfter(response.headers.get('retry-after'), words.now)
  const said = reasonIn(text, words.auth?.key)
  const details = { status, ...(retryAfterMs !== undefined && { retryAfterMs }) }
  const message = `${words.service} ${explain(status, words.keyHint, retryAfterMs)}${said && ` It says: ${said}`}`
  return new ServiceError(codeOf(status), message, details)
}

function codeOf(status: number): ServiceErrorCode {
  if (status === 401 || status === 403) return 'auth'
  if (status === 429) return 'rate-limited'
  return status >= 500 ? 'unreachable' : 'refused'
}

/** The JSON of a text, undefined where it is none. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function explain(status: number, keyHint: string, retryAfterMs: number | undefined): string {
  if (status === 401 || status === 403) return `refused the key (HTTP ${status}). ${keyHint}`
  if (status === 429) {
    const when = retryAfterMs === undefined ? 'later' : `in ${Math.ceil(retryAfterMs / 1000)} s`
    return `has had too many requests (HTTP 429). Try again ${when}.`
  }
  if (status >= 500) return `is out of order (HTTP ${status}). Try again later.`
  if (status >= 300 && status < 400) return `answers from another address (HTTP ${status}). Correct its URL.`
  return `refused the request (HTTP ${status}).`
}

/** Longest reason that is repeated, characters. */
const maxReasonChars = 300
const maxReasonDepth = 4

/** What a service says is wrong, from the usual places of a JSON body, on one line and without the key. */
export function reasonIn(text: string, key: string | undefined): string {
  const words = reasonOf(jsonIn(text), maxReasonDepth) ?? ''
  // A key that is cut in two would not be found.
  const safe = key ? words.replaceAll(key, '***') : words
  return safe.replaceAll(/\s+/g, ' ').trim().slice(0, maxReasonChars)
}

function reasonOf(body: unknown, depth: number): string | undefined {
  if (typeof body === 'string') return body
  if (typeof body !== 'object' || body === null || depth === 0) return undefined
  if (Array.isArray(body)) return reasonOf(body[0], depth - 1)
  for (const name of ['detail', 'message', 'error', 'details', 'msg', 'error_description']) {
    const reason = reasonOf(Reflect.get(body, name), depth - 1)
    if (reason !== undefined) return reason
  }
  return undefined
}

/** Seconds or an HTTP date, as milliseconds from `now` on. */
function parseRetryAfter(value: string | null, now: number): number | undefined {
  if (value === null || value.trim() === '') return undefined
  const seconds = Number(value)
  const waitMs = Number.isNaN(seconds) ? Date.parse(value) - now : seconds * 1000
  return Number.isFinite(waitMs) ? Math.max(0, waitMs) : undefined
}
