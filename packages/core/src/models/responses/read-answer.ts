import type { IncomingHttpHeaders } from 'node:http'
import type { AnswerBody, AnswerContext } from '../wire/answer-body.ts'
import { createCallLimit } from '../wire/call-limit.ts'
import { fromErrorObject } from '../wire/errors.ts'
import { fields } from '../wire/json-fields.ts'
import { eventFrames, refuseOtherTypes, sseBody } from '../wire/sse-body.ts'
import { createAnswerReader } from './answer-reader.ts'

/** The events of a streamed answer (https://platform.openai.com/docs/api-reference/responses-streaming). */
export function readAnswer(headers: IncomingHttpHeaders, context: AnswerContext): AnswerBody {
  const { place, request, now, progress } = context
  refuseOtherTypes(headers, place)
  const reader = createAnswerReader(createCallLimit(place))
  const frames = eventFrames(reader, place, (event) => {
    if (event['type'] === 'error' || event['type'] === 'response.failed') {
      throw fromErrorObject(errorOf(event), place, request.model, now())
    }
    if (!signsOfLife.has(event['type'])) progress()
  })
  return sseBody(frames, context)
}

/** Events that come while nothing happens. */
const signsOfLife: ReadonlySet<unknown> = new Set(['response.in_progress', 'response.queued', 'keepalive', 'ping'])

function errorOf(event: Readonly<Record<string, unknown>>): unknown {
  return event['error'] ?? fields(event['response'])?.['error'] ?? event
}
