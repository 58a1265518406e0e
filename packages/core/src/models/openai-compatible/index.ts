import { ModelError } from '../model-error.ts'
import type { ModelEvent, ModelInfo, ModelProvider, ModelRequest } from '../model.ts'
import type { HttpClient, HttpResponse } from '../net/http-client.ts'
import { readText } from '../net/read-text.ts'
import type { Endpoint } from './endpoint.ts'
import { fromErrorAnswer, fromTransport } from './errors.ts'
import { hasBrokenArguments } from './messages.ts'
import type { Leniency } from './messages.ts'
import { readAnswer } from './read-answer.ts'
import { requestBody } from './request-body.ts'

export interface OpenAiCompatibleOptions {
  readonly endpoint: Endpoint
  readonly http: HttpClient
  /** Ms since the epoch, for waits that a server gives as a time. */
  readonly now?: () => number
}

/** Longest error body that is read, and longest list of models. */
const maxErrorBytes = 64 * 1024
const maxListingBytes = 32 * 1024 * 1024

/** A provider that speaks OpenAI's chat completions, in its endpoint's dialect. */
export function createOpenAiCompatible({ endpoint, http, now = Date.now }: OpenAiCompatibleOptions): ModelProvider {
  /** What this server turned out not to take. */
  let learned: Leniency = {}

  /** One generator all the way from the bytes: each further one would cost some microseconds a token. */
  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    try {
      while (true) {
        const response = await post(request, signal)
        try {
          if (response.status === 200) {
            const progress = (): void => response.progress()
            const answer = readAnswer(response.headers, { endpoint, request, now, progress })
            for await (const bytes of response.body) {
              for (const event of answer.feed(bytes)) yield event
              if (answer.isOver) break
            }
            for (const event of answer.end()) yield event
            return
          }
          const refusal = await refusalOf(response, request.model)
          const softer = softened(learned, refusal, request)
          if (!softer) throw refusal
          learned = softer
        } finally {
          response.release()
        }
      }
    } catch (error) {
      throw fromTransport(error, endpoint)
    }
  }

  const post = (request: ModelRequest, signal: AbortSignal): Promise<HttpResponse> => {
    const body = JSON.stringify(requestBody(request, endpoint.dialect, learned))
    const headers = {
      ...headersFor(endpoint),
      'content-type': 'application/json',
      accept: 'text/event-stream',
      ...endpoint.dialect.headers?.(request),
    }
    const limits = endpoint.limits(Buffer.byteLength(body))
    return http.send({ method: 'POST', url: `${endpoint.baseUrl}/chat/completions`, headers, body, limits }, signal)
  }
  const refusalOf = async ({ status, headers, body }: HttpResponse, model: string): Promise<ModelError> => {
    const text = await readText(body, maxErrorBytes)
    return fromErrorAnswer({ status, headers, body: text }, endpoint, model, now())
  }
  const models = async (signal: AbortSignal): Promise<readonly ModelInfo[]> => {
    const headers = { ...headersFor(endpoint), accept: 'application/json' }
    const url = `${endpoint.baseUrl}/models`
    const response = await http.send({ method: 'GET', url, headers, limits: listingLimits }, signal)
    try {
      if (response.status !== 200) throw await refusalOf(response, '')
      const { parseModels } = await import('./list-models.ts')
      const listed = parseModels(parsed(await readText(response.body, maxListingBytes)))
      if (listed) return listed
    } finally {
      response.release()
    }
    throw new ModelError('invalid-request', `${endpoint.label} at ${endpoint.baseUrl} does not list its models.`)
  }
  const named = async <Result>(call: () => Promise<Result>): Promise<Result> => {
    try {
      return await call()
    } catch (error) {
      throw fromTransport(error, endpoint)
    }
  }

  return { name: endpoint.name, stream, models: (signal) => named(() => models(signal)) }
}

const listingLimits = { connectMs: 5000, silenceMs: 10_000, progressMs: 30_000, totalMs: 30_000 }

function headersFor({ apiKey }: Endpoint): Record<string, string> {
  return { 'user-agent': 'hermes-agent', ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }) }
}

/**
 * What to leave out for a server that refused a request: broken arguments of earlier calls, which it reads for its chat
 * template; or earlier reasoning whose signature it does not accept. Undefined when there is nothing left to try.
 */
function softened(learned: Leniency, refusal: ModelError, request: ModelRequest): Leniency | undefined {
  const { status, message } = refusal
  if (status !== 400 && status !== 422 && status !== 500) return undefined
  const isUnclear = refusal.code === 'invalid-request' || refusal.code === 'server'
  if (isUnclear && !learned.dropReasoning && /signature/i.test(message) && /thinking|reasoning/i.test(message)) {
    return { ...learned, dropReasoning: true }
  }
  if (isUnclear && !learned.wrapBrokenArguments && hasBrokenArguments(request.messages)) {
    return { ...learned, wrapBrokenArguments: true }
  }
  return undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
