import { existsSync } from 'node:fs'
import type { BlockText, PromptBlock, PromptSources } from './block.ts'

export const skillsBlock: PromptBlock = {
  name: 'skills',
  about: 'the index of skills',
  build(sources) {
    const { home, config, fileMemo } = sources.context
    if (sources.request.minimalPrompt) return undefined
    if (config.skills.external_dirs.length > 0) return index(sources)
    // A home without skills loads nothing of what reads them.
    const path = home.path('skills')
    const isThere = fileMemo
      ? fileMemo.of(`is there ${path}`, async (watch) => (watch(path), existsSync(path)))
      : existsSync(path)
    return isThere === false ? undefined : indexIf(isThere, sources)
  },
}

async function indexIf(isThere: boolean | Promise<boolean>, sources: PromptSources): Promise<BlockText> {
  return (await isThere) ? index(sources) : undefined
}

async function index({ context, request, tools }: PromptSources): Promise<BlockText> {
  const { home, config, environment, fileMemo } = context
  const { skillsIndex } = await import('../../skills/skills-index.ts')
  const platform = request.face.name
  return skillsIndex({ home, config, environment, platform, tools, ...(fileMemo && { fileMemo }) })
}
