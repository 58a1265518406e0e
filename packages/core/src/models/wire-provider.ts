import { ModelError } from './model-error.ts'
import type { ModelEvent, ModelInfo, ModelProvider, ModelRequest } from './model.ts'
import type { HttpClient, HttpResponse } from './net/http-client.ts'
import { readText } from './net/read-text.ts'
import type { Place } from './openai-compatible/endpoint.ts'
import { fromErrorAnswer, fromTransport } from './openai-compatible/errors.ts'
import { parseModels } from './openai-compatible/list-models.ts'

/** What a wire's code needs to read an answer. */
export interface AnswerContext {
  readonly place: Place
  readonly request: ModelRequest
  /** Ms since the epoch, for waits that a server gives as a time. */
  readonly now: () => number
}

/** How one API looks over HTTP. `Learned`: what a server turned out not to take. */
export interface Wire<Learned> {
  /** Where calls go and where models are listed, from a place's base URL. */
  readonly url: (baseUrl: string) => { readonly calls: string; readonly models: string }
  readonly headers: (place: Place, request?: ModelRequest) => Readonly<Record<string, string>>
  /** The body of a streaming call. */
  readonly body: (request: ModelRequest, learned: Learned) => Readonly<Record<string, unknown>>
  /** The events of an answer with status 200. Throws `ModelError`. */
  readonly read: (response: HttpResponse, answer: AnswerContext) => AsyncIterable<ModelEvent>
  /** What to leave out after a refusal; undefined when there is nothing left to try. */
  readonly soften: (learned: Learned, refusal: ModelError, request: ModelRequest) => Learned | undefined
  /** Where every server begins. */
  readonly nothingLearned: Learned
}

export interface WireProviderOptions {
  readonly place: Place
  readonly http: HttpClient
  readonly now?: () => number
}

/** Longest error body that is read, and longest list of models. */
const maxErrorBytes = 64 * 1024
const maxListingBytes = 32 * 1024 * 1024
const listingLimits = { connectMs: 5_000, silenceMs: 10_000, progressMs: 30_000, totalMs: 30_000 }

/** A provider over a wire: sends, reads, tries again without what a server refused, and names every failure. */
export function wireProvider<Learned>(wire: Wire<Learned>, options: WireProviderOptions): ModelProvider {
  const { place, http, now = Date.now } = options
  const urls = wire.url(place.baseUrl)
  let learned = wire.nothingLearned

  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    while (true) {
      const response = await post(request, signal)
      try {
        if (response.status === 200) return yield* wire.read(response, { place, request, now })
        const refusal = await refusalOf(response, request.model)
        const softer = wire.soften(learned, refusal, request)
        if (softer === undefined) throw refusal
        learned = softer
      } finally {
        response.release()
      }
    }
  }

  const post = (request: ModelRequest, signal: AbortSignal): Promise<HttpResponse> => {
    const body = JSON.stringify(wire.body(request, learned))
    const headers = {
      ...wire.headers(place, request),
      'user-agent': 'hermes-agent',
      'content-type': 'application/json',
      accept: 'text/event-stream',
    }
    const limits = place.limits(Buffer.byteLength(body))
    return http.send({ method: 'POST', url: urls.calls, headers, body, limits }, signal)
  }

  const refusalOf = async ({ status, headers, body }: HttpResponse, model: string): Promise<ModelError> => {
    const text = await readText(body, maxErrorBytes)
    return fromErrorAnswer({ status, headers, body: text }, place, model, now())
  }

  const models = async (signal: AbortSignal): Promise<readonly ModelInfo[]> => {
    const headers = { ...wire.headers(place), 'user-agent': 'hermes-agent', accept: 'application/json' }
    const response = await http.send({ method: 'GET', url: urls.models, headers, limits: listingLimits }, signal)
    try {
      if (response.status !== 200) throw await refusalOf(response, '')
      const listed = parseModels(parsed(await readText(response.body, maxListingBytes)))
      if (listed) return listed
    } finally {
      response.release()
    }
    throw new ModelError('invalid-request', `${place.label} at ${place.baseUrl} does not list its models.`)
  }

  return {
    name: place.name,
    async *stream(request, signal) {
      try {
        yield* stream(request, signal)
      } catch (error) {
        throw fromTransport(error, place)
      }
    },
    async models(signal) {
      try {
        return await models(signal)
      } catch (error) {
        throw fromTransport(error, place)
      }
    },
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
