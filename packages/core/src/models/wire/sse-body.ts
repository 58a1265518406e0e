import type { IncomingHttpHeaders } from 'node:http'
import { ModelError } from '../model-error.ts'
import type { ModelEvent } from '../model.ts'
import { SseOverflowError, createSseParser } from '../net/sse.ts'
import type { SseEvent } from '../net/sse.ts'
import type { AnswerBody, AnswerContext } from './answer-body.ts'
import { parseFields } from './json-fields.ts'
import type { Fields } from './json-fields.ts'
import type { Place } from './place.ts'

/** What a wire makes of the frames of an answer. Throws `ModelError`. */
export interface FrameReader {
  /** The events that one frame means. */
  frame(data: string): readonly ModelEvent[]
  /** The events that the end of the stream completes. */
  end(): readonly ModelEvent[]
  /** Whether the answer is complete, whatever else may come. */
  readonly isOver: boolean
}

/** What reads the events of an answer that says itself when it is over. */
export interface EventReader {
  feed(event: Fields): readonly ModelEvent[]
  readonly isOver: boolean
}

/** Frames that hold an event each. `check` sees each before it is read, and throws where it tells of a failure. */
export function eventFrames(reader: EventReader, place: Place, check: (event: Fields) => void): FrameReader {
  const frames = {
    isOver: false,
    frame: (data: string) => {
      frames.isOver = data === '[DONE]'
      if (frames.isOver) return []
      const event = frameFields(data, place)
      check(event)
      const events = reader.feed(event)
      frames.isOver = reader.isOver
      return events
    },
    end: () => {
      if (!reader.isOver) throw cutOff(place)
      return []
    },
  }
  return frames
}

/** An answer that comes as server-sent events. */
export function sseBody(reader: FrameReader, { place }: AnswerContext): AnswerBody {
  const parser = createSseParser()
  const body = {
    isOver: false,
    feed: (bytes: Uint8Array) =>
      taken(
        parsing(() => parser.feed(bytes), place),
        reader,
        body,
      ),
    end: () => ending(reader, body, () => parsing(() => parser.end(), place)),
  }
  return body
}

interface OpenBody {
  isOver: boolean
}

// One function for all answers: a generator that each makes for itself is kept as its getters would be.
function* taken(events: readonly SseEvent[], reader: FrameReader, body: OpenBody): Generator<ModelEvent> {
  for (const { data } of events) {
    if (reader.isOver) return
    if (data === '') continue
    const meant = reader.frame(data)
    body.isOver = reader.isOver
    yield* meant
  }
}

function* ending(reader: FrameReader, body: OpenBody, rest: () => readonly SseEvent[]): Generator<ModelEvent> {
  if (!reader.isOver) yield* taken(rest(), reader, body)
  yield* reader.end()
}

function parsing(parse: () => readonly SseEvent[], { label }: Place): readonly SseEvent[] {
  try {
    return parse()
  } catch (error) {
    if (!(error instanceof SseOverflowError)) throw error
    throw new ModelError('malformed-stream', `${label} sent a broken stream: ${error.message}.`, { cause: error })
  }
}

/** The object that a frame holds. */
export function frameFields(data: string, { label }: Place): Fields {
  const frame = parseFields(data)
  if (!frame) throw new ModelError('malformed-stream', `${label} sent something that is no JSON.`)
  return frame
}

/** A stream that ended before the answer did. */
export function cutOff({ label }: Place): ModelError {
  return new ModelError('malformed-stream', `${label} ended its answer in the middle.`)
}

/** What a server answers that is no model server, or no server of this wire. */
export function refusePages(headers: IncomingHttpHeaders, { label, baseUrl }: Place): void {
  if (!headers['content-type']?.includes('text/html')) return
  const message = `${label} at ${baseUrl} answers with a web page. Check the base URL; it often ends in /v1.`
  throw new ModelError('not-configured', message)
}

/** Wires whose answers are always streams. */
export function refuseOtherTypes(headers: IncomingHttpHeaders, place: Place): void {
  refusePages(headers, place)
  if (headers['content-type']?.includes('text/event-stream')) return
  const message = `${place.label} at ${place.baseUrl} does not answer with a stream. Check the base URL.`
  throw new ModelError('not-configured', message)
}
