import { ModelError } from '../model-error.ts'
import type { ModelEvent, ModelInfo, ModelProvider, ModelRequest } from '../model.ts'
import type { HttpClient, HttpResponse } from '../net/http-client.ts'
import { readText } from '../net/read-text.ts'
import type { Place } from '../openai-compatible/endpoint.ts'
import { fromErrorAnswer, fromTransport } from '../openai-compatible/errors.ts'
import { parseModels } from '../openai-compatible/list-models.ts'
import { readAnswer } from './read-answer.ts'
import { requestBody } from './request-body.ts'
import type { Leniency } from './request-body.ts'

export interface AnthropicOptions {
  /** Its `baseUrl` ends before `/v1`, as people write it: `https://api.anthropic.com`. */
  readonly place: Place
  readonly http: HttpClient
  /** Ms since the epoch, for waits that a server gives as a time. */
  readonly now?: () => number
}

const maxErrorBytes = 64 * 1024
const maxListingBytes = 4 * 1024 * 1024
const listingLimits = { connectMs: 5_000, silenceMs: 10_000, progressMs: 30_000, totalMs: 30_000 }

/** What every call may use: thinking between calls, arguments streamed as they are written. */
const features = 'interleaved-thinking-2025-05-14,fine-grained-tool-streaming-2025-05-14'

/** Anthropic's Messages API, and the services that speak it (https://docs.anthropic.com/en/api/messages). */
export function createAnthropic({ place, http, now = Date.now }: AnthropicOptions): ModelProvider {
  let learned: Leniency = {}

  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    while (true) {
      const response = await post(request, signal)
      try {
        if (response.status === 200) return yield* readAnswer(response, { place, request, now })
        const refusal = await refusalOf(response, request.model)
        if (learned.dropThinking || !isAboutThinking(refusal)) throw refusal
        learned = { dropThinking: true }
      } finally {
        response.release()
      }
    }
  }

  const post = (request: ModelRequest, signal: AbortSignal): Promise<HttpResponse> => {
    const body = JSON.stringify(requestBody(request, learned))
    const headers = { ...headersFor(place), 'content-type': 'application/json', accept: 'text/event-stream' }
    const limits = place.limits(Buffer.byteLength(body))
    return http.send({ method: 'POST', url: `${base(place)}/messages`, headers, body, limits }, signal)
  }
  const refusalOf = async ({ status, headers, body }: HttpResponse, model: string): Promise<ModelError> => {
    const text = await readText(body, maxErrorBytes)
    return fromErrorAnswer({ status, headers, body: text }, place, model, now())
  }
  const models = async (signal: AbortSignal): Promise<readonly ModelInfo[]> => {
    const url = `${base(place)}/models?limit=1000`
    const response = await http.send({ method: 'GET', url, headers: headersFor(place), limits: listingLimits }, signal)
    try {
      if (response.status !== 200) throw await refusalOf(response, '')
      return parseModels(JSON.parse(await readText(response.body, maxListingBytes))) ?? []
    } finally {
      response.release()
    }
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

function base({ baseUrl }: Place): string {
  return baseUrl.endsWith('/v1') ? baseUrl : `${baseUrl}/v1`
}

/** Keys of the console go by `x-api-key`; sign-in and setup tokens, and other services' keys, are bearer tokens. */
function headersFor({ apiKey, isOwnApi }: Place & { readonly isOwnApi?: boolean }): Record<string, string> {
  const common = { 'user-agent': 'hermes-agent', 'anthropic-version': '2023-06-01' }
  if (apiKey === undefined) return { ...common, 'anthropic-beta': features }
  if (isSignInToken(apiKey)) {
    return { ...common, authorization: `Bearer ${apiKey}`, 'anthropic-beta': `${features},oauth-2025-04-20` }
  }
  if (isOwnApi === false) return { ...common, authorization: `Bearer ${apiKey}` }
  return { ...common, 'x-api-key': apiKey, 'anthropic-beta': features }
}

function isSignInToken(key: string): boolean {
  return /^(sk-ant-oat|eyJ)/.test(key)
}

/** The server does not take earlier thinking (another account's, a changed model's). */
function isAboutThinking({ status, message }: ModelError): boolean {
  return status === 400 && /thinking/i.test(message)
}
