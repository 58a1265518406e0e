import type { ToolSchema } from '../models/model.ts'
import type { SystemMessage } from '../models/transcript.ts'
import { estimateMessageTokens, estimateToolTokens } from './token-estimate.ts'

/** Token estimates of what the sessions of a profile have in common, each made once. */
export interface SharedEstimates {
  tool(schema: ToolSchema): number
  system(message: SystemMessage): number
}

/** System prompts that are remembered: sessions of one day and face have the same. */
const maxPrompts = 8

export function createSharedEstimates(): SharedEstimates {
  const tools = new WeakMap<ToolSchema, number>()
  const prompts = new Map<string, number>()
  return {
    tool(schema) {
      const tokens = tools.get(schema) ?? estimateToolTokens([schema])
      tools.set(schema, tokens)
      return tokens
    },
    system(message) {
      const known = prompts.get(message.content)
      if (known !== undefined) return known
      const tokens = estimateMessageTokens(message)
      const [oldest] = prompts.keys()
      if (prompts.size >= maxPrompts && oldest !== undefined) prompts.delete(oldest)
      prompts.set(message.content, tokens)
      return tokens
    },
  }
}
