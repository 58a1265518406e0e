import { scanKept } from '../../security/injection/scan-kept.ts'
import type { PromptBlock } from './block.ts'

/** Longest text of a provider, characters. */
const maxChars = 4_000

export const longTermMemoryBlock: PromptBlock = {
  name: 'long-term memory',
  about: 'how the memory provider is used (memory.provider)',
  async build({ context, request, scope }, tell) {
    const { longTermMemory, redactor } = context
    if (!longTermMemory || request.minimalPrompt || scope.depth > 0) return undefined
    const memory = await longTermMemory.session(scope, { platform: request.face.name })
    const text = redactor.redact(memory?.provider.promptBlock?.() ?? '').slice(0, maxChars)
    const [found = []] = await scanKept([text], 'context', context.home)
    if (found.length === 0) return text
    const message = `What ${longTermMemory.name} adds to the prompt is left out, it tries to steer the agent (${found.join(', ')}).`
    tell({ level: 'warning', code: 'long-term-memory', message })
    return undefined
  },
}
