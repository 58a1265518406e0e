import { existsSync } from 'node:fs'
import type { PromptBlock } from './block.ts'

export const skillsBlock: PromptBlock = {
  name: 'skills',
  about: 'the index of skills',
  async build({ context, request, tools }) {
    const { home, config, environment } = context
    if (request.minimalPrompt) return undefined
    // A home without skills loads nothing of what reads them.
    if (!existsSync(home.path('skills')) && config.skills.external_dirs.length === 0) return undefined
    const { skillsIndex } = await import('../../skills/skills-index.ts')
    return skillsIndex({ home, config, environment, platform: request.face.name, tools })
  },
}
