import { ModelError } from '../model-error.ts'
import type { ModelEvent, ModelRequest } from '../model.ts'
import type { HttpResponse } from '../net/http-client.ts'
import { readText } from '../net/read-text.ts'
import { SseOverflowError, createSseParser } from '../net/sse.ts'
import type { SseEvent } from '../net/sse.ts'
import { createAnswerReader } from './answer-reader.ts'
import type { AnswerReader } from './answer-reader.ts'
import { parseChunk } from './chunk.ts'
import type { Endpoint } from './endpoint.ts'
import { fromErrorObject } from './errors.ts'

interface Answer {
  readonly endpoint: Endpoint
  readonly request: ModelRequest
  readonly now: () => number
}

/** Longest answer of a server that does not stream. */
const maxBodyBytes = 32 * 1024 * 1024

/** The events of an answer with status 200: a stream, or one body from servers that do not stream. */
export async function* readAnswer(response: HttpResponse, answer: Answer): AsyncGenerator<ModelEvent> {
  const { endpoint, request } = answer
  const reader = createAnswerReader(endpoint.dialect, request.tools)
  const type = response.headers['content-type'] ?? ''
  if (type.includes('text/html')) {
    const message = `${endpoint.label} at ${endpoint.baseUrl} answers with a web page. Check the base URL; it often ends in /v1.`
    throw new ModelError('not-configured', message)
  }
  let isOver = false
  if (type.includes('application/json')) {
    yield* take(await readText(response.body, maxBodyBytes), reader, answer)
    isOver = true
  } else {
    for await (const { data } of eventsOf(response, endpoint)) {
      if (data === '[DONE]') {
        isOver = true
        break
      }
      response.progress()
      yield* take(data, reader, answer)
    }
  }
  yield* ending(reader, isOver, endpoint)
}

async function* eventsOf(response: HttpResponse, { label }: Endpoint): AsyncGenerator<SseEvent> {
  const parser = createSseParser()
  try {
    for await (const bytes of response.body) yield* parser.feed(bytes)
    yield* parser.end()
  } catch (error) {
    if (!(error instanceof SseOverflowError)) throw error
    throw new ModelError('malformed-stream', `${label} sent a broken stream: ${error.message}.`, { cause: error })
  }
}

/** The events of one chunk. Throws what the server says went wrong. */
function take(data: string, reader: AnswerReader, { endpoint, request, now }: Answer): readonly ModelEvent[] {
  if (data === '') return []
  const chunk = parseChunk(data)
  if (!chunk) throw new ModelError('malformed-stream', `${endpoint.label} sent something that is no JSON.`)
  const choice = chunk.choices?.[0]
  const error = chunk.error ?? choice?.error
  if (error !== undefined && error !== null) throw fromErrorObject(error, endpoint, request.model, now())
  if (choice?.finish_reason === 'error') {
    throw new ModelError('server', `${endpoint.label} broke its answer off without saying why.`)
  }
  return reader.feed(chunk)
}

/**
 * The last events. Some servers send neither a finish reason nor an end mark; then what came is the answer, unless it
 * is nothing or stops within a call.
 */
function ending(reader: AnswerReader, isOver: boolean, { label }: Endpoint): readonly ModelEvent[] {
  const events = reader.end()
  if (isOver || reader.hasFinished) return events
  const cutCall = events.some((event) => event.type === 'tool-call' && isCut(event.call.arguments))
  if (cutCall || !reader.hasBegun) {
    throw new ModelError('malformed-stream', `${label} ended its answer in the middle.`)
  }
  return events.map((event) =>
    event.type === 'finish' && event.reason === 'stop' ? { ...event, reason: 'other' } : event,
  )
}

function isCut(text: string): boolean {
  if (text.trim() === '') return false
  try {
    JSON.parse(text)
    return false
  } catch {
    return true
  }
}
