import type { IncomingHttpHeaders } from 'node:http'
import { TransportError } from '../net/transport-error.ts'
import type { TransportFailure } from '../net/transport-error.ts'
import { ModelError } from '../model-error.ts'
import type { ModelErrorCode } from '../model-error.ts'
import { errorCodeOf } from './error-code.ts'
import { fields, parseFields, text } from './json-fields.ts'
import { outputRoom } from './output-room.ts'
import type { KeyedPlace, Place } from './place.ts'
import { retryAfterMs } from './retry-after.ts'

/** An answer with an error status. */
export interface ErrorAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** The whole body, as text. */
  readonly body: string
}

/** The failure that an HTTP error means. */
export function fromErrorAnswer(answer: ErrorAnswer, place: KeyedPlace, model: string, nowMs: number): ModelError {
  const { status, headers } = answer
  if (status >= 300 && status < 400) {
    const to = headers.location ?? 'another address'
    return new ModelError(
      'not-configured',
      `${place.label} at ${place.baseUrl} has moved to ${to}: set that as its base URL.`,
      { status },
    )
  }
  const body = parseFields(answer.body)
  const isPage = body === undefined && /^\s*</.test(answer.body)
  const words = isPage ? '' : (spoken(body) ?? answer.body)
  return failure({ status, headers, body, words, codes: codesOf(body, headers), isPage }, place, model, nowMs)
}

/** The failure that an error object inside a stream, or in a body with status 200, means. */
export function fromErrorObject(error: unknown, place: KeyedPlace, model: string, nowMs: number): ModelError {
  const body = { error }
  const codes = codesOf(body)
  const status = codes.map(Number).find((code) => code >= 400 && code < 600)
  return failure({ status, headers: {}, body, words: spoken(body) ?? '', codes, isPage: false }, place, model, nowMs)
}

/** What a server said of a failure, and how. */
interface Refusal {
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: unknown
  readonly words: string
  readonly codes: readonly string[]
  /** Whether a page for people came in place of an answer. */
  readonly isPage: boolean
}

function failure(refusal: Refusal, place: KeyedPlace, model: string, nowMs: number): ModelError {
  const { status, words, codes, isPage } = refusal
  const code = errorCodeOf({ status, text: words, codes })
  const told = explain({ code, words: quotable(words, place), status, place, model, isPage })
  return new ModelError(code, told, {
    status,
    retryAfterMs: retryAfterMs(refusal, nowMs),
    outputRoom: outputRoom(words),
  })
}

const transportCodes: Readonly<Record<TransportFailure, ModelErrorCode>> = {
  unreachable: 'network',
  timeout: 'timeout',
  refused: 'not-configured',
}

/** When a server on this machine that does not answer is tried again, ms. */
const localRetryMs = 700

/** The failure that a broken or silent connection means. What is no transport error passes through. */
export function fromTransport(error: unknown, place: Place): unknown {
  if (!(error instanceof TransportError)) return error
  const code = transportCodes[error.failure]
  const message = `${place.label}: ${error.message}${/[.?!]$/.test(error.message) ? '' : '.'}`
  if (!place.isLocal || code !== 'network') return new ModelError(code, message, { cause: error })
  // A server on this machine that is not there now is back at once or not at all.
  const options = { cause: error, retryAfterMs: localRetryMs }
  return new ModelError(code, `${message} Is ${place.label} running?`, options)
}

interface Told {
  readonly code: ModelErrorCode
  readonly words: string
  readonly status: number | undefined
  readonly place: KeyedPlace
  readonly model: string
  readonly isPage: boolean
}

/** What failed, in whose words, and what to do next. */
function explain({ code, words, status, place, model, isPage }: Told): string {
  const { label, keyHint, baseUrl } = place
  const http = status === undefined ? '' : ` (HTTP ${status})`
  const why = words === '' ? '' : `: ${words}`
  switch (code) {
    case 'auth':
      return place.apiKey === undefined
        ? `${label} wants a key${http}${why}. ${keyHint}`
        : `${label} refused the key${http}${why}. Check it: ${keyHint}`
    case 'payment':
      return `${label} wants payment${http}${why}. Add credit to the account, or use another model.`
    case 'model-not-found':
      return isPage || words === ''
        ? `${label} does not answer at ${baseUrl}${http}, or does not know the model ${model}. Check the base URL (it often ends in /v1) and the model's name.`
        : `${label} does not serve ${model}${http}${why}. Choose another model (hermes model, /model, -m).`
    case 'context-overflow':
      return `The conversation is too long for ${model}${http}${why}. Begin a new one (/new), or use a model with a larger window.`
    case 'payload-too-large':
      return `The request is too large for ${label}${http}${why}. Attach less, or begin a new conversation (/new).`
    case 'content-filter':
      return `${label} refused the content${http}${why}. Rephrase the request or use another model.`
    case 'rate-limited':
      return `${label} limits the rate of requests${http}${why}.`
    case 'overloaded':
      return `${label} is overloaded${http}${why}.`
    case 'invalid-request':
      return `${label} does not take the request${http}${why}. Use another model (/model, -m), or check the settings under model.`
    default:
      return `${label} failed${http}${why}.`
  }
}

/** The message of an error body, with the inner one that OpenRouter passes on from the provider behind it. */
function spoken(body: unknown): string | undefined {
  const whole = fields(body)
  const error = whole?.['error'] ?? body
  const named = fields(error)
  const message =
    text(error) ??
    text(named?.['message']) ??
    text(whole?.['message']) ??
    text(whole?.['Message']) ??
    text(whole?.['detail'])
  const raw = text(fields(named?.['metadata'])?.['raw'])
  const inner = raw === undefined ? undefined : (spoken(parseFields(raw)) ?? raw)
  if (message === undefined) return inner
  return inner === undefined || message.includes(inner) ? message : `${message}: ${inner}`
}

/** AWS names the class of an error in a header. */
function codesOf(body: unknown, headers: IncomingHttpHeaders = {}): readonly string[] {
  const whole = fields(body)
  const { code, type, status, __type: kind } = fields(whole?.['error']) ?? whole ?? {}
  return [code, type, status, kind, headers['x-amzn-errortype']]
    .filter((one) => typeof one === 'string' || typeof one === 'number')
    .map((one) => String(one).replace(/:.*/, ''))
}

const longestQuote = 400

/** A server's words as they may be shown: one short line, without anything that looks like a key. */
function quotable(words: string, { apiKey }: KeyedPlace): string {
  const known = apiKey ? words.replaceAll(apiKey, '***') : words
  const line = known
    .replaceAll(/\b(sk|pk|rk|gsk|xai|hf|AIza|key)[-_]?[\w*-]{12,}/g, '***')
    .replaceAll(/\s+/g, ' ')
    .trim()
  const short = line.length > longestQuote ? `${line.slice(0, longestQuote)} …` : line
  return short.replace(/[.\s]+$/, '')
}
