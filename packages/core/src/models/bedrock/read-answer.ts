import type { IncomingHttpHeaders } from 'node:http'
import { ModelError } from '../model-error.ts'
import type { ModelEvent } from '../model.ts'
import type { AnswerBody, AnswerContext } from '../wire/answer-body.ts'
import { createCallLimit } from '../wire/call-limit.ts'
import { fromErrorObject } from '../wire/errors.ts'
import { cutOff } from '../wire/sse-body.ts'
import { createAnswerReader } from './answer-reader.ts'
import { EventStreamError, createEventStreamDecoder } from './event-stream.ts'
import type { EventMessage } from './event-stream.ts'

/** The events of a streamed answer, in Amazon's own framing. */
export function readAnswer(headers: IncomingHttpHeaders, context: AnswerContext): AnswerBody {
  const { place, request, now, progress } = context
  if (!headers['content-type']?.includes('application/vnd.amazon.eventstream')) {
    throw new ModelError('not-configured', `${place.label} at ${place.baseUrl} does not answer with an event stream.`)
  }
  const decode = createEventStreamDecoder()
  const reader = createAnswerReader(createCallLimit(place))
  const eventsOf = ({ headers: told, payload }: EventMessage): readonly ModelEvent[] => {
    const exception = told.get(':exception-type') ?? told.get(':error-code')
    if (exception !== undefined) {
      const message = payload?.['message'] ?? told.get(':error-message')
      // The one that is the request's own fault.
      const code = exception === 'validationException' ? 400 : undefined
      throw fromErrorObject({ type: exception, code, message }, place, request.model, now())
    }
    const type = told.get(':event-type') ?? ''
    if (/^(message|content|metadata)/.test(type)) progress()
    return reader.feed(type, payload ?? {})
  }
  return {
    // The counts come after the last word, so the answer is over when the stream is.
    isOver: false,
    *feed(bytes) {
      try {
        for (const message of decode(bytes)) yield* eventsOf(message)
      } catch (error) {
        if (!(error instanceof EventStreamError)) throw error
        throw new ModelError('malformed-stream', `${place.label} sent a broken stream: ${error.message}.`, {
          cause: error,
        })
      }
    },
    end: () => {
      const last = reader.end()
      if (!last) throw cutOff(place)
      return [last]
    },
  }
}
