import { MemoryError } from '../../memory/memory-error.ts'
import { shownEntries } from '../../memory/memory-format.ts'
import { scanKept } from '../../security/injection/scan-kept.ts'
import type { BlockText, PromptBlock, PromptSources } from './block.ts'
import { ofFiles } from './of-files.ts'
import type { TellNotice } from './of-files.ts'

// Both ask the files, which is cheap; the two blocks stay independent of each other.

/** The agent's notes. */
export const memoryBlock: PromptBlock = {
  name: 'memory',
  about: 'MEMORY.md as it was when the session began',
  build: (sources, tell) => blockOf(sources, 'memory', tell),
}

/** What the agent knows of its person. */
export const userBlock: PromptBlock = {
  name: 'user',
  about: 'USER.md as it was when the session began',
  build: (sources, tell) => blockOf(sources, 'user', tell),
}

function blockOf(
  { context, request }: PromptSources,
  target: 'memory' | 'user',
  tell: TellNotice,
): BlockText | Promise<BlockText> {
  const { memory_enabled: hasMemory, user_profile_enabled: hasProfile } = context.config.memory
  if (request.minimalPrompt || !(target === 'memory' ? hasMemory : hasProfile)) return undefined
  return ofFiles(target, { context, tell }, (watch, toldOfThese) => {
    watch(context.home.path('memories', target === 'memory' ? 'MEMORY.md' : 'USER.md'))
    return blockOfFile(context, target, toldOfThese)
  })
}

async function blockOfFile(
  context: PromptSources['context'],
  target: 'memory' | 'user',
  tell: TellNotice,
): Promise<string | undefined> {
  try {
    const { entries } = await context.memory.read(target)
    const found = (await scanKept(shownEntries(entries), 'memory', context.home)).flat()
    if (found.length > 0) {
      const file = context.home.path('memories', target === 'memory' ? 'MEMORY.md' : 'USER.md')
      const message = `Entries of ${file} are left out, they try to steer the agent (${[...new Set(found)].join(', ')}).`
      tell({ level: 'warning', code: 'memory-entry', message })
    }
    return await context.memory.block(target)
  } catch (error) {
    // Whoever has something to ask is not sent away because of a note.
    if (!(error instanceof MemoryError)) throw error
    tell({ level: 'warning', code: 'memory-file', message: `${error.message} The session goes without it.` })
    return undefined
  }
}
