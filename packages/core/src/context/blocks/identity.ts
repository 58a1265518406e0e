import { defaultIdentity, identity } from '../identity.ts'
import type { PromptBlock } from './block.ts'
import { ofFiles } from './of-files.ts'

export const identityBlock: PromptBlock = {
  name: 'identity',
  about: 'who the agent is: SOUL.md, or the built-in text',
  build({ context, request }, tell) {
    if (request.minimalPrompt || request.face.contextFiles === false) return defaultIdentity
    return ofFiles('identity', { context, tell }, async (watch, toldOfThese) => {
      const { text, problem } = await identity({ ...context, watch })
      if (problem) toldOfThese({ level: 'warning', code: 'context-file', message: `SOUL.md is not used: ${problem}.` })
      return text
    })
  },
}
