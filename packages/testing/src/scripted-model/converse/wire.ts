import type { Wire } from '../wire.ts'
import { event, events, exception, lastEvents } from './frames.ts'
import { isSigned } from './signature.ts'
import { validateConverseRequest } from './validate.ts'

/** Amazon Bedrock's Converse, streaming only. Its key is the secret that requests are signed with, or a bearer token. */
export const converseWire: Wire = {
  name: 'converse',
  streamType: 'application/vnd.amazon.eventstream',
  matches: (path) => /^\/model\/[^/]+\/converse-stream$/.test(path),
  validate: (body) => validateConverseRequest(body),
  wantsStream: () => true,
  frames: (answer, { n }) => events(answer, n),
  endFrames: (answer) => (answer.endMark === false ? [] : lastEvents(answer)),
  errorFrame: exception,
  malformedFrame: Buffer.from('this is no frame of the kind that was promised'),
  pingFrame: event('ping', {}),
  whole: () => ({}),
  errorBody: ({ message }) => ({ message }),
  authenticates: async (request, apiKey) =>
    request.headers['authorization'] === `Bearer ${apiKey}` || isSigned(request, apiKey),
}
