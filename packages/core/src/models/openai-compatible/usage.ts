import type { Usage } from '../model.ts'

/**
 * Tokens as the servers count them. `prompt_tokens` includes what came from a cache; the names of the cache counts are
 * OpenAI's and OpenRouter's, DeepSeek's, and Anthropic's as proxies pass them through.
 */
export function toUsage(counts: Readonly<Record<string, unknown>>): Usage {
  const prompt = inner(counts['prompt_tokens_details'])
  const completion = inner(counts['completion_tokens_details'])
  const cacheReadTokens =
    count(prompt['cached_tokens']) ||
    count(counts['prompt_cache_hit_tokens']) ||
    count(counts['cache_read_input_tokens'])
  const cacheWriteTokens = count(prompt['cache_write_tokens']) || count(counts['cache_creation_input_tokens'])
  return {
    inputTokens: Math.max(0, count(counts['prompt_tokens']) - cacheReadTokens - cacheWriteTokens),
    outputTokens: count(counts['completion_tokens']),
    cacheReadTokens,
    cacheWriteTokens,
    reasoningTokens: count(completion['reasoning_tokens']),
  }
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.round(value) : 0
}

function inner(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
}
