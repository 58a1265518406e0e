import type { Usage } from '../model.ts'
import { count, fields } from '../wire/json-fields.ts'
import type { Fields } from '../wire/json-fields.ts'

/**
 * Tokens as the servers count them. `prompt_tokens` includes what came from a cache; the names of the cache counts are
 * OpenAI's and OpenRouter's, DeepSeek's, and Anthropic's as proxies pass them through.
 */
export function toUsage(counts: Fields): Usage {
  const prompt = fields(counts['prompt_tokens_details']) ?? {}
  const completion = fields(counts['completion_tokens_details']) ?? {}
  const cacheReadTokens =
    count(prompt['cached_tokens']) ||
    count(counts['prompt_cache_hit_tokens']) ||
    count(counts['cache_read_input_tokens'])
  const costUsd = reportedCost(counts)
  const cacheWriteTokens = count(prompt['cache_write_tokens']) || count(counts['cache_creation_input_tokens'])
  return {
    inputTokens: Math.max(0, count(counts['prompt_tokens']) - cacheReadTokens - cacheWriteTokens),
    outputTokens: count(counts['completion_tokens']),
    cacheReadTokens,
    cacheWriteTokens,
    reasoningTokens: count(completion['reasoning_tokens']),
    ...(costUsd !== undefined && { costUsd }),
  }
}

/**
 * What OpenRouter says that a call cost, in credits, which are USD. With a key of one's own at the provider `cost` is
 * OpenRouter's fee alone, and the provider's charge stands beside it.
 * See https://openrouter.ai/docs/use-cases/usage-accounting
 */
function reportedCost(counts: Fields): number | undefined {
  const cost = amount(counts['cost'])
  if (cost === undefined || counts['is_byok'] !== true) return cost
  const charged = amount(fields(counts['cost_details'])?.['upstream_inference_cost'])
  return charged === undefined ? undefined : cost + charged
}

function amount(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined
}
