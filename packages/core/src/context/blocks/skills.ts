import { existsSync } from 'node:fs'
import type { FileMemo } from '../../storage/file-memo.ts'
import type { PromptBlock } from './block.ts'

export const skillsBlock: PromptBlock = {
  name: 'skills',
  about: 'the index of skills',
  async build({ context, request, tools }) {
    const { home, config, environment } = context
    if (request.minimalPrompt) return undefined
    // A home without skills loads nothing of what reads them.
    if (config.skills.external_dirs.length === 0 && !(await isThere(home.path('skills'), context.fileMemo))) {
      return undefined
    }
    const { skillsIndex } = await import('../../skills/skills-index.ts')
    return skillsIndex({ home, config, environment, platform: request.face.name, tools })
  },
}

async function isThere(path: string, fileMemo: FileMemo | undefined): Promise<boolean> {
  if (!fileMemo) return existsSync(path)
  return fileMemo.of(`is there ${path}`, async (watch) => (watch(path), existsSync(path)))
}
