import { eventStream } from '../wire.ts'
import type { Wire } from '../wire.ts'
import { events, message } from './frames.ts'
import { validateMessagesRequest } from './validate.ts'

/** Anthropic's messages, streaming and not. */
export const messagesWire: Wire = {
  name: 'messages',
  ...eventStream,
  malformedFrame: 'event: content_block_delta\ndata: {"type":"ha\n\n',
  matches: (path) => path.endsWith('/v1/messages'),
  validate: (body) => validateMessagesRequest(body),
  wantsStream: (body) => body.stream === true,
  frames: (answer, context) => events(answer, context).map(frame),
  endFrames: (answer) => (answer.endMark === false ? [] : [frame({ type: 'message_stop' })]),
  errorFrame: (error) => frame({ type: 'error', error }),
  whole: message,
  errorBody: ({ message: text, type = 'invalid_request_error' }) => ({ type: 'error', error: { type, message: text } }),
}

function frame(event: { readonly type: string; readonly [field: string]: unknown }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
}
