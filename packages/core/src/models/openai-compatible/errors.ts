import type { IncomingHttpHeaders } from 'node:http'
import { TransportError } from '../net/transport-error.ts'
import type { TransportFailure } from '../net/transport-error.ts'
import { ModelError } from '../model-error.ts'
import type { ModelErrorCode } from '../model-error.ts'
import type { Place } from './endpoint.ts'
import { errorCodeOf } from './error-code.ts'
import { retryAfterMs } from './retry-after.ts'

/** An answer with an error status. */
export interface ErrorAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** The whole body, as text. */
  readonly body: string
}

/** The failure that an HTTP error means. */
export function fromErrorAnswer(answer: ErrorAnswer, endpoint: Place, model: string, nowMs: number): ModelError {
  const { status, headers } = answer
  const body = parsed(answer.body)
  if (status >= 300 && status < 400) {
    const to = headers.location ?? 'another address'
    return new ModelError(
      'not-configured',
      `${endpoint.label} at ${endpoint.baseUrl} has moved to ${to}: set that as its base URL.`,
      { status },
    )
  }
  const isPage = body === undefined && /^\s*</.test(answer.body)
  const words = isPage ? '' : (spoken(body) ?? answer.body)
  const code = errorCodeOf({ status, text: words, codes: codesOf(body) })
  const told = explain({ code, words: quotable(words, endpoint), status, endpoint, model, isPage })
  return new ModelError(code, told, { status, retryAfterMs: retryAfterMs(headers, body, nowMs) })
}

/** The failure that an error object inside a stream, or in a body with status 200, means. */
export function fromErrorObject(error: unknown, endpoint: Place, model: string, nowMs: number): ModelError {
  const body = { error }
  const words = spoken(body) ?? ''
  const codes = codesOf(body)
  const status = codes.map(Number).find((code) => code >= 400 && code < 600)
  const code = errorCodeOf({ status, text: words, codes })
  const told = explain({ code, words: quotable(words, endpoint), status, endpoint, model, isPage: false })
  return new ModelError(code, told, { status, retryAfterMs: retryAfterMs({}, body, nowMs) })
}

const transportCodes: Readonly<Record<TransportFailure, ModelErrorCode>> = {
  unreachable: 'network',
  timeout: 'timeout',
  refused: 'not-configured',
}

/** When a server on this machine that does not answer is tried again, ms. */
const localRetryMs = 700

/** The failure that a broken or silent connection means. What is no transport error passes through. */
export function fromTransport(error: unknown, endpoint: Place): unknown {
  if (!(error instanceof TransportError)) return error
  const code = transportCodes[error.failure]
  const message = `${endpoint.label}: ${error.message}.`
  if (!endpoint.isLocal || code !== 'network') return new ModelError(code, message, { cause: error })
  // A server on this machine that is not there now is back at once or not at all.
  const options = { cause: error, retryAfterMs: localRetryMs }
  return new ModelError(code, `${message} Is ${endpoint.label} running?`, options)
}

interface Told {
  readonly code: ModelErrorCode
  readonly words: string
  readonly status: number | undefined
  readonly endpoint: Place
  readonly model: string
  readonly isPage: boolean
}

/** What failed, in whose words, and what to do next. */
function explain({ code, words, status, endpoint, model, isPage }: Told): string {
  const { label, keyHint, baseUrl } = endpoint
  const http = status === undefined ? '' : ` (HTTP ${status})`
  const why = words === '' ? '' : `: ${words}`
  switch (code) {
    case 'auth':
      return endpoint.apiKey === undefined
        ? `${label} wants a key${http}${why}. ${keyHint}`
        : `${label} refused the key${http}${why}. Check it: ${keyHint}`
    case 'payment':
      return `${label} wants payment${http}${why}. Add credit to the account, or use another model.`
    case 'model-not-found':
      return isPage || words === ''
        ? `${label} does not answer at ${baseUrl}${http}, or does not know the model ${model}. Check the base URL (it often ends in /v1) and the model's name.`
        : `${label} does not serve ${model}${http}${why}. Choose another model.`
    case 'context-overflow':
      return `The conversation is too long for ${model}${http}${why}.`
    case 'payload-too-large':
      return `The request is too large for ${label}${http}${why}.`
    case 'content-filter':
      return `${label} refused the content${http}${why}. Rephrase the request or use another model.`
    case 'rate-limited':
      return `${label} limits the rate of requests${http}${why}.`
    case 'overloaded':
      return `${label} is overloaded${http}${why}.`
    default:
      return `${label} failed${http}${why}.`
  }
}

/** The message of an error body, with the inner one that OpenRouter passes on from the provider behind it. */
function spoken(body: unknown): string | undefined {
  const error = field(body, 'error') ?? body
  const message =
    text(error) ?? text(field(error, 'message')) ?? text(field(body, 'message')) ?? text(field(body, 'detail'))
  const raw = field(field(error, 'metadata'), 'raw')
  const inner = typeof raw === 'string' ? (spoken(parsed(raw)) ?? raw) : undefined
  if (message === undefined) return inner
  return inner === undefined || message.includes(inner) ? message : `${message}: ${inner}`
}

function codesOf(body: unknown): readonly string[] {
  const error = field(body, 'error') ?? body
  return [field(error, 'code'), field(error, 'type'), field(error, 'status')]
    .filter((code) => typeof code === 'string' || typeof code === 'number')
    .map(String)
}

const longestQuote = 400

/** A server's words as they may be shown: one short line, without anything that looks like a key. */
function quotable(words: string, { apiKey }: Place): string {
  const known = apiKey ? words.replaceAll(apiKey, '***') : words
  const line = known
    .replaceAll(/\b(sk|pk|rk|gsk|xai|hf|AIza|key)[-_]?[\w*-]{12,}/g, '***')
    .replaceAll(/\s+/g, ' ')
    .trim()
  const short = line.length > longestQuote ? `${line.slice(0, longestQuote)} …` : line
  return short.replace(/[.\s]+$/, '')
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body) as unknown
  } catch {
    return undefined
  }
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
