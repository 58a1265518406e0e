import type { PromptBlock } from './block.ts'

/** What only this session has comes last: everything before it is the same in the next one. */
export const sessionBlock: PromptBlock = {
  name: 'session',
  about: 'the chat that it is in, and the id of the session when it is asked for',
  build({ request: { face }, sessionId }) {
    const parts = [face.place, ...(face.passSessionId ? [`Session ID: ${sessionId}`] : [])]
    return parts.filter((part) => part !== undefined).join('\n\n') || undefined
  },
}
