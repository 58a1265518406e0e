import { eventStream } from '../wire.ts'
import type { Wire } from '../wire.ts'
import { events, lastEvent, response } from './frames.ts'
import { validateResponsesRequest } from './validate.ts'

/** OpenAI's responses, streaming and not. */
export const responsesWire: Wire = {
  name: 'responses',
  ...eventStream,
  malformedFrame: 'event: response.output_text.delta\ndata: {"type":"ha\n\n',
  matches: (path) => path.endsWith('/v1/responses'),
  validate: (body) => validateResponsesRequest(body),
  wantsStream: (body) => body.stream === true,
  frames: (answer, context) => events(answer, context).map(frame),
  endFrames: (answer, context) => (answer.endMark === false ? [] : [frame(lastEvent(answer, context))]),
  errorFrame: (error) => frame({ type: 'error', error }),
  whole: response,
  errorBody: ({ message, type = 'invalid_request_error', code }) => ({
    error: { message, type, param: null, code: code ?? null },
  }),
}

function frame(event: { readonly type: string; readonly [field: string]: unknown }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
}
