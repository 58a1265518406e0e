import type { IncomingHttpHeaders } from 'node:http'
import type { AnswerBody, AnswerContext } from '../wire/answer-body.ts'
import { createCallLimit } from '../wire/call-limit.ts'
import { fromErrorObject } from '../wire/errors.ts'
import { eventFrames, refuseOtherTypes, sseBody } from '../wire/sse-body.ts'
import { createAnswerReader } from './answer-reader.ts'

/** The events of a streamed answer (https://docs.anthropic.com/en/docs/build-with-claude/streaming). */
export function readAnswer(headers: IncomingHttpHeaders, context: AnswerContext): AnswerBody {
  const { place, request, now, progress } = context
  refuseOtherTypes(headers, place)
  const reader = createAnswerReader(createCallLimit(place))
  const frames = eventFrames(reader, place, (event) => {
    if (event['type'] === 'error') throw fromErrorObject(event['error'], place, request.model, now())
    if (event['type'] !== 'ping') progress()
  })
  return sseBody(frames, context)
}
