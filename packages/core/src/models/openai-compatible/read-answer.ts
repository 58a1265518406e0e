import type { IncomingHttpHeaders } from 'node:http'
import { ModelError } from '../model-error.ts'
import type { ModelEvent, ModelRequest } from '../model.ts'
import { SseOverflowError, createSseParser } from '../net/sse.ts'
import type { SseEvent } from '../net/sse.ts'
import { createAnswerReader } from './answer-reader.ts'
import type { AnswerReader } from './answer-reader.ts'
import { parseChunk } from './chunk.ts'
import type { Endpoint } from './endpoint.ts'
import { fromErrorObject } from './errors.ts'

/** The body of an answer with status 200 while it is read. Throws `ModelError` for what the server says went wrong. */
export interface AnswerBody {
  /** The events that the next bytes complete, those before a failure included. */
  feed(bytes: Uint8Array): Iterable<ModelEvent>
  /** The last events. */
  end(): Iterable<ModelEvent>
  /** Whether the end mark has come. */
  readonly isOver: boolean
}

export interface AnswerContext {
  readonly endpoint: Endpoint
  readonly request: ModelRequest
  readonly now: () => number
  /** Told for each chunk. */
  readonly progress: () => void
}

/** Reads an answer: a stream, or one body from servers that do not stream. */
export function readAnswer(headers: IncomingHttpHeaders, context: AnswerContext): AnswerBody {
  const { endpoint, request } = context
  const type = headers['content-type'] ?? ''
  if (type.includes('text/html')) {
    const message = `${endpoint.label} at ${endpoint.baseUrl} answers with a web page. Check the base URL; it often ends in /v1.`
    throw new ModelError('not-configured', message)
  }
  const reader = createAnswerReader(endpoint.dialect, request.tools)
  return type.includes('application/json') ? wholeBody(reader, context) : streamedBody(reader, context)
}

function streamedBody(reader: AnswerReader, context: AnswerContext): AnswerBody {
  const parser = createSseParser()
  let isOver = false
  function* take(events: readonly SseEvent[]): Generator<ModelEvent> {
    for (const { data } of events) {
      isOver ||= data === '[DONE]'
      if (isOver) return
      context.progress()
      yield* chunkEvents(data, reader, context)
    }
  }
  return {
    get isOver() {
      return isOver
    },
    feed: (bytes) => take(parsing(() => parser.feed(bytes), context)),
    *end() {
      if (!isOver) yield* take(parsing(() => parser.end(), context))
      yield* ending(reader, isOver, context.endpoint)
    },
  }
}

/** Longest answer of a server that does not stream. */
const maxBodyBytes = 32 * 1024 * 1024

function wholeBody(reader: AnswerReader, context: AnswerContext): AnswerBody {
  const pieces: Uint8Array[] = []
  let length = 0
  return {
    isOver: false,
    feed: (bytes) => {
      length += bytes.length
      if (length > maxBodyBytes)
        throw new ModelError('malformed-stream', `${context.endpoint.label} answers without end.`)
      pieces.push(bytes)
      context.progress()
      return []
    },
    end: () => [...chunkEvents(Buffer.concat(pieces).toString(), reader, context), ...reader.end()],
  }
}

function parsing(parse: () => readonly SseEvent[], { endpoint }: AnswerContext): readonly SseEvent[] {
  try {
    return parse()
  } catch (error) {
    if (!(error instanceof SseOverflowError)) throw error
    throw new ModelError('malformed-stream', `${endpoint.label} sent a broken stream: ${error.message}.`, {
      cause: error,
    })
  }
}

function chunkEvents(data: string, reader: AnswerReader, context: AnswerContext): readonly ModelEvent[] {
  if (data === '') return []
  const { endpoint, request, now } = context
  const chunk = parseChunk(data)
  if (!chunk) throw new ModelError('malformed-stream', `${endpoint.label} sent something that is no JSON.`)
  if (chunk.error !== undefined) throw fromErrorObject(chunk.error, endpoint, request.model, now())
  if (chunk.finishReason === 'error') {
    throw new ModelError('server', `${endpoint.label} broke its answer off without saying why.`)
  }
  return reader.feed(chunk)
}

/**
 * Some servers send neither a finish reason nor an end mark; then what came is the answer, unless it is nothing or stops
 * within a call.
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
