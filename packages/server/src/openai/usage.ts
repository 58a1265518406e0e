import type { Usage } from '@hermes/core/models/model.ts'

const inputOf = ({ inputTokens, cacheReadTokens, cacheWriteTokens }: Usage) =>
  inputTokens + cacheReadTokens + cacheWriteTokens

/** Tokens as the chat wire names them. */
export function chatUsage(usage: Usage) {
  const input = inputOf(usage)
  return {
    prompt_tokens: input,
    completion_tokens: usage.outputTokens,
    total_tokens: input + usage.outputTokens,
    prompt_tokens_details: { cached_tokens: usage.cacheReadTokens },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  }
}

/** Tokens as the responses wire names them. */
export function responseUsage(usage: Usage) {
  const input = inputOf(usage)
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: usage.cacheReadTokens },
    output_tokens: usage.outputTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: input + usage.outputTokens,
  }
}
