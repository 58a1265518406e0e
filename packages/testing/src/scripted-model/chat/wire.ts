import { eventStream } from '../wire.ts'
import type { Wire } from '../wire.ts'
import { chunks, completion } from './chunks.ts'
import { validateChatRequest } from './validate.ts'

/** OpenAI chat completions, streaming and not. */
export const chatWire: Wire = {
  name: 'chat',
  ...eventStream,
  matches: (path) => path.endsWith('/v1/chat/completions'),
  validate: validateChatRequest,
  wantsStream: (body) => body.stream === true,
  frames: (answer, context) => chunks(answer, context).map(frame),
  endFrames: (answer) => (answer.endMark === false ? [] : ['data: [DONE]\n\n']),
  errorFrame: (error) => frame({ error }),
  whole: completion,
  errorBody: ({ message, type = 'invalid_request_error', code }) => ({
    error: { message, type, param: null, code: code ?? null },
  }),
}

function frame(value: unknown): string {
  return `data: ${JSON.stringify(value)}\n\n`
}
