import type { IncomingHttpHeaders } from 'node:http'
import type { CallKey, Keys } from '../keys/keys.ts'
import { ModelError } from '../model-error.ts'
import type { ModelEvent, ModelInfo, ModelProvider, ModelRequest } from '../model.ts'
import type { KeyLimits, RateLimitBook } from '../rate-limits.ts'
import type { HttpClient, HttpRequest, HttpResponse } from '../net/http-client.ts'
import { readText } from '../net/read-text.ts'
import { TransportError } from '../net/transport-error.ts'
import { sleep } from '../retry.ts'
import type { AnswerBody, AnswerContext } from './answer-body.ts'
import { fromErrorAnswer, fromTransport } from './errors.ts'
import { parseFields } from './json-fields.ts'
import { jsonBytes } from './json-text.ts'
import type { KeyedPlace, Place } from './place.ts'
import { rateLimitsOf } from './rate-limit-headers.ts'

/** How one API looks over HTTP. `Learned`: what a server turned out not to take. */
export interface Wire<Learned> {
  /** Where a call goes, and where the models are listed; undefined where they are not. */
  readonly callUrl: (place: Place, request: ModelRequest) => string
  readonly modelsUrl: (place: Place) => string | undefined
  readonly headers: (place: KeyedPlace, request?: ModelRequest) => Readonly<Record<string, string>>
  /** The body of a streaming call. */
  readonly body: (request: ModelRequest, learned: Learned) => Readonly<Record<string, unknown>>
  /** The body of an answer with status 200. */
  readonly read: (headers: IncomingHttpHeaders, context: AnswerContext) => AnswerBody
  /** What to leave out after a refusal; undefined when there is nothing left to try. */
  readonly soften: (learned: Learned, refusal: ModelError, request: ModelRequest) => Learned | undefined
  /** Where every server begins. */
  readonly nothingLearned: Learned
  /** More headers, for places that want the whole request signed. */
  readonly sign?: (
    request: UnsignedRequest,
    place: KeyedPlace,
    nowMs: number,
    signal: AbortSignal,
  ) => Promise<SignedHeaders>
}

/** A request as it is before it is signed. */
export type UnsignedRequest = Omit<HttpRequest, 'limits'>

export type SignedHeaders = Readonly<Record<string, string>>

export interface WireProviderOptions {
  readonly place: Place
  readonly keys: Keys
  readonly http: HttpClient
  /** Where the limits that the place tells are noted. */
  readonly rateLimits?: RateLimitBook
  readonly now?: () => number
  /** Bytes after which an answer is taken to have no end. */
  readonly maxAnswerBytes?: number
}

/** Bytes of an answer with what is put around each token, and with what only the provider can read. */
const longestAnswer = 256 * 1024 * 1024

/** Longest error body that is read, and longest list of models. */
const maxErrorBytes = 64 * 1024
const maxListingBytes = 32 * 1024 * 1024
const listingLimits = { connectMs: 5_000, silenceMs: 10_000, progressMs: 30_000, totalMs: 30_000 }
/** How long names are looked for that are like a wrong one: somebody waits for the answer. */
const namingLimits = { connectMs: 1_000, silenceMs: 3_000, progressMs: 3_000, totalMs: 3_000 }

/**
 * A provider over a wire: sends, reads, tries again without what a server refused or with another key, and names every
 * failure.
 */
export function wireProvider<Learned>(wire: Wire<Learned>, options: WireProviderOptions): ModelProvider {
  const { place, keys, http, rateLimits, now = Date.now, maxAnswerBytes = longestAnswer } = options
  let learned = wire.nothingLearned

  /** One generator all the way from the bytes: each further one would cost some microseconds a token. */
  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const call = keys.forCall()
    while (true) {
      const key = await call.next(signal)
      if ('afterMs' in key) {
        yield { type: 'notice', code: 'rate-limited', message: key.notice }
        await sleep(key.afterMs, signal)
        continue
      }
      const at = keyed(key)
      let hasBegun = false
      let response: HttpResponse | undefined
      try {
        const posted = await post(request, at, signal)
        // Nothing comes between this and the request.
        if (call.isStale()) continue
        response = await http.send(posted, signal)
        const told = noteLimits(response, at)
        if (response.status === 200) {
          const { headers, body } = response
          const progress = response.progress.bind(response)
          const answer = wire.read(headers, { place: at, request, now, progress })
          let length = 0
          for await (const bytes of body) {
            length += bytes.length
            if (length > maxAnswerBytes) throw endless(at, maxAnswerBytes)
            for (const event of answer.feed(bytes)) {
              hasBegun = true
              yield event.type === 'finish' ? accounted(event, at, told) : event
            }
            if (answer.isOver) break
          }
          // Before the last event: whoever reads it may stop listening.
          const last = [...answer.end()]
          await call.worked()
          for (const event of last) yield event.type === 'finish' ? accounted(event, at, told) : event
          return
        }
        const refusal = await refusalOf(response, at, request.model)
        const softer = wire.soften(learned, refusal, request)
        if (softer === undefined) throw await withNames(refusal, at, request.model, signal)
        learned = softer
      } catch (error) {
        const failure = fromTransport(error, at)
        if (!(failure instanceof ModelError)) throw failure
        const recovery = await call.failed(failure, signal)
        if (recovery === undefined || hasBegun) throw failure
        yield { type: 'notice', code: failure.code, message: recovery.notice }
        await sleep(recovery.afterMs, signal)
      } finally {
        response?.release()
      }
    }
  }

  const keyed = ({ secret, baseUrl = place.baseUrl, hint = place.keyHint, label }: CallKey): KeyedPlace => ({
    ...place,
    baseUrl,
    keyHint: hint,
    apiKey: secret,
    ...(label !== undefined && { keyLabel: label }),
  })

  const noteLimits = ({ headers }: HttpResponse, { name, keyLabel }: KeyedPlace): KeyLimits | undefined => {
    const limits = rateLimitsOf(headers, now())
    if (limits.length === 0) return undefined
    const told = { provider: name, ...(keyLabel !== undefined && { key: keyLabel }), toldAtMs: now(), limits }
    rateLimits?.note(told)
    return told
  }

  const post = async (request: ModelRequest, at: KeyedPlace, signal: AbortSignal): Promise<HttpRequest> => {
    const body = jsonBytes(wire.body(request, learned))
    const headers = {
      'user-agent': 'hermes-agent',
      'content-type': 'application/json',
      accept: 'text/event-stream',
      ...wire.headers(at, request),
    }
    const plain = { method: 'POST', url: wire.callUrl(at, request), headers, body } as const
    return signed(plain, at, at.limits(body.length), signal)
  }

  const signed = async (
    plain: UnsignedRequest,
    at: KeyedPlace,
    limits: HttpRequest['limits'],
    signal: AbortSignal,
  ): Promise<HttpRequest> => {
    const added = await wire.sign?.(plain, at, now(), signal)
    return { ...plain, headers: { ...plain.headers, ...added }, limits }
  }

  const refusalOf = async (
    { status, headers, body }: HttpResponse,
    at: KeyedPlace,
    model: string,
  ): Promise<ModelError> => {
    const text = await readText(body, maxErrorBytes)
    return fromErrorAnswer({ status, headers, body: text }, at, model, now())
  }

  /** A model that is not there, with the names that are like it. */
  const withNames = async (
    refusal: ModelError,
    at: KeyedPlace,
    model: string,
    signal: AbortSignal,
  ): Promise<ModelError> => {
    if (refusal.code !== 'model-not-found' || wire.modelsUrl(at) === undefined) return refusal
    try {
      const { namingSimilar } = await import('./naming-similar.ts')
      return namingSimilar(refusal, model, await list(at, signal, namingLimits))
    } catch (error) {
      if (error instanceof ModelError || error instanceof TransportError) return refusal
      throw error
    }
  }

  const list = async (
    at: KeyedPlace,
    signal: AbortSignal,
    limits: HttpRequest['limits'] = listingLimits,
  ): Promise<readonly ModelInfo[]> => {
    const url = wire.modelsUrl(at)
    const unlisted = `${at.label} at ${at.baseUrl} does not list its models.`
    if (url === undefined) throw new ModelError('invalid-request', unlisted)
    const headers = { 'user-agent': 'hermes-agent', accept: 'application/json', ...wire.headers(at) }
    const response = await http.send(await signed({ method: 'GET', url, headers }, at, limits, signal), signal)
    try {
      if (response.status !== 200) throw await refusalOf(response, at, '')
      const { parseModels } = await import('./list-models.ts')
      const listed = parseModels(parseFields(await readText(response.body, maxListingBytes)))
      if (listed) return listed
    } finally {
      response.release()
    }
    throw new ModelError('invalid-request', unlisted)
  }

  return {
    name: place.name,
    stream,
    models: async (signal) => {
      const key = await keys.forCall().next(signal)
      if ('afterMs' in key) throw new ModelError('rate-limited', key.notice, { retryAfterMs: key.afterMs })
      const at = keyed(key)
      try {
        return await list(at, signal)
      } catch (error) {
        throw fromTransport(error, at)
      }
    },
  }
}

/** Not to be asked for again: it would be as long the next time. */
function endless({ label }: Place, maxBytes: number): ModelError {
  return new ModelError('invalid-request', `${label} did not end its answer after ${maxBytes} bytes; it was stopped.`)
}

type Finish = Extract<ModelEvent, { type: 'finish' }>

/** The end of an answer with what its key and its headers say of it. */
function accounted(finish: Finish, at: KeyedPlace, rateLimits: KeyLimits | undefined): Finish {
  const isIncluded = at.isSubscription?.(at) === true
  return {
    ...finish,
    ...(finish.usage && isIncluded && { usage: { ...finish.usage, isIncluded } }),
    ...(rateLimits && { rateLimits }),
  }
}
