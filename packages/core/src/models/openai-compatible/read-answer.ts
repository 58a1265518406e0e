import type { IncomingHttpHeaders } from 'node:http'
import { ModelError } from '../model-error.ts'
import type { ModelEvent } from '../model.ts'
import type { AnswerBody, AnswerContext } from '../wire/answer-body.ts'
import { createCallLimit } from '../wire/call-limit.ts'
import { fromErrorObject } from '../wire/errors.ts'
import { cutOff, frameFields, refusePages, sseBody } from '../wire/sse-body.ts'
import type { FrameReader } from '../wire/sse-body.ts'
import { createAnswerReader } from './answer-reader.ts'
import type { AnswerReader } from './answer-reader.ts'
import { toChunk } from './chunk.ts'
import type { Dialect } from './dialect.ts'

/** Reads an answer: a stream, or one body from servers that do not stream. */
export function readAnswer(headers: IncomingHttpHeaders, dialect: Dialect, context: AnswerContext): AnswerBody {
  refusePages(headers, context.place)
  const reader = createAnswerReader(dialect, context.request.tools, createCallLimit(context.place))
  const isWhole = headers['content-type']?.includes('application/json')
  return isWhole ? wholeBody(reader, context) : sseBody(frameReader(reader, context), context)
}

function frameReader(reader: AnswerReader, context: AnswerContext): FrameReader {
  const frames = {
    isOver: false,
    frame: (data: string) => {
      frames.isOver = data === '[DONE]'
      context.progress()
      return frames.isOver ? [] : chunkEvents(data, reader, context)
    },
    end: () => ending(reader, frames.isOver, context),
  }
  return frames
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
      if (length > maxBodyBytes) {
        throw new ModelError('malformed-stream', `${context.place.label} answers without end.`)
      }
      pieces.push(bytes)
      context.progress()
      return []
    },
    end: () => [...chunkEvents(Buffer.concat(pieces).toString(), reader, context), ...reader.end()],
  }
}

function chunkEvents(data: string, reader: AnswerReader, context: AnswerContext): readonly ModelEvent[] {
  const { place, request, now } = context
  const chunk = toChunk(frameFields(data, place))
  if (chunk.error !== undefined) throw fromErrorObject(chunk.error, place, request.model, now())
  if (chunk.finishReason === 'error') {
    throw new ModelError('server', `${place.label} broke its answer off without saying why.`)
  }
  return reader.feed(chunk)
}

/**
 * Some servers send neither a finish reason nor an end mark; then what came is the answer, unless it is nothing or stops
 * within a call.
 */
function ending(reader: AnswerReader, isOver: boolean, { place }: AnswerContext): readonly ModelEvent[] {
  const events = reader.end()
  if (isOver || reader.hasFinished) return events
  const cutCall = events.some((event) => event.type === 'tool-call' && isCut(event.call.arguments))
  if (cutCall || !reader.hasBegun) throw cutOff(place)
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
