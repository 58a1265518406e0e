import { skillsIndex } from '../../skills/skills-index.ts'
import type { PromptBlock } from './block.ts'

export const skillsBlock: PromptBlock = {
  name: 'skills',
  about: 'the index of skills',
  build({ context, request, tools }) {
    if (request.minimalPrompt) return undefined
    const { home, config, environment } = context
    return skillsIndex({ home, config, environment, platform: request.face.name, tools })
  },
}
