import type { Usage } from '../model.ts'
import { count } from './json-fields.ts'
import type { Fields } from './json-fields.ts'

/** What a wire calls the counts of tokens. */
export interface CountNames {
  readonly input: string
  readonly output: string
  readonly cacheRead: string
  readonly cacheWrite: string
}

/** Usage where each count has a name of its own, and the input is told without what came from a cache. */
export function countedUsage(counts: Fields, { input, output, cacheRead, cacheWrite }: CountNames): Usage {
  return {
    inputTokens: count(counts[input]),
    outputTokens: count(counts[output]),
    cacheReadTokens: count(counts[cacheRead]),
    cacheWriteTokens: count(counts[cacheWrite]),
    reasoningTokens: 0,
  }
}
