import { ModelError } from '../model-error.ts'
import type { ModelEvent, ModelRequest } from '../model.ts'
import type { HttpResponse } from '../net/http-client.ts'
import { sseAnswer } from '../net/sse-answer.ts'
import type { Place } from '../openai-compatible/endpoint.ts'
import { fromErrorObject } from '../openai-compatible/errors.ts'
import { createAnswerReader } from './answer-reader.ts'
import { parseStreamEvent } from './stream-event.ts'
import type { StreamEvent } from './stream-event.ts'

/** The events of a streamed answer with status 200. Throws `ModelError` for a stream that breaks or tells of an error. */
export async function* readAnswer(
  response: HttpResponse,
  { place, request, now }: { readonly place: Place; readonly request: ModelRequest; readonly now: () => number },
): AsyncGenerator<ModelEvent> {
  const type = response.headers['content-type'] ?? ''
  if (!type.includes('text/event-stream')) {
    const message = `${place.label} at ${place.baseUrl} does not answer with a stream. Check the base URL.`
    throw new ModelError('not-configured', message)
  }
  const reader = createAnswerReader()
  for await (const { data } of sseAnswer(response, place.label)) {
    const event = eventOf(data, place)
    if (!event) continue
    if (event.type === 'error') throw fromErrorObject(event.error, place, request.model, now())
    response.progress()
    yield* reader.feed(event)
    if (reader.isOver) return
  }
  throw new ModelError('malformed-stream', `${place.label} ended its answer in the middle.`)
}

function eventOf(data: string, { label }: Place): StreamEvent | undefined {
  try {
    return parseStreamEvent(data)
  } catch (error) {
    throw new ModelError('malformed-stream', `${label} sent something that is no JSON.`, { cause: error })
  }
}
