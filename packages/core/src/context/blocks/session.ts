import type { PromptBlock } from './block.ts'

/** What only this session has comes last: everything before it is the same in the next one. */
export const sessionBlock: PromptBlock = {
  name: 'session',
  about: 'the id of the session, when it is asked for',
  build: ({ request, sessionId }) => (request.face.passSessionId ? `Session ID: ${sessionId}` : undefined),
}
