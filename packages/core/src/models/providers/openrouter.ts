import type { Dialect } from '../openai-compatible/dialect.ts'
import { familyOutputLimit } from '../model-limits.ts'
import type { ReasoningEffort } from '../model.ts'
import { reasoningField } from './hosted.ts'
import type { ProviderFacts, ProviderRouting } from './provider.ts'

// Surprises: the model's name decides what the body may hold. `reasoning` is refused or ignored by models that do not
// reason; Anthropic's models want `reasoning_details` back unchanged, cache marks in the messages, and `max_tokens`.

/** OpenRouter with the person's routing rules. */
export function openRouter(routing: ProviderRouting = {}): ProviderFacts {
  return {
    name: 'openrouter',
    label: 'OpenRouter',
    // A key of OpenRouter is often put where programs look for one of OpenAI; one of OpenAI's own is of no use here.
    keys: [{ name: 'OPENROUTER_API_KEY' }, { name: 'OPENAI_API_KEY', prefix: 'sk-or-' }],
    needsKey: true,
    baseUrlVariable: 'OPENROUTER_BASE_URL',
    baseUrl: 'https://openrouter.ai/api/v1',
    keyPage: 'https://openrouter.ai/keys',
    defaultModel: 'anthropic/claude-sonnet-4.6',
    sideModel: 'google/gemini-3-flash-preview',
    isAggregator: true,
    isFoundByKey: true,
    maxOutputTokens: (model) => (isClaude(model) ? familyOutputLimit(model) : undefined),
    speaks: { chat: dialect(routing) },
  }
}

function dialect(routing: ProviderRouting): Dialect {
  return {
    maxTokensField: 'max_tokens',
    headers: ({ model }) => ({
      'http-referer': 'https://hermes-agent.nousresearch.com',
      'x-openrouter-title': 'Hermes Agent',
      'x-openrouter-categories': 'productivity,cli-agent',
      ...(isClaude(model) && { 'x-anthropic-beta': 'fine-grained-tool-streaming-2025-05-14' }),
    }),
    extraBody: () => (Object.keys(routing).length > 0 ? { provider: routing } : {}),
    reasoning,
    replay: () => 'details',
    developerRole: (model) => /gpt-5|codex/i.test(model),
    cacheMarks: isClaude,
    inlineReasoning: true,
    inlineCalls: false,
  }
}

/** Families that reason and let one say how much; medium unless one does. */
const reasoningFamilies = /^(deepseek\/|anthropic\/|openai\/|x-ai\/|google\/gemini-2|qwen\/qwen3)/

function reasoning(model: string, effort: ReasoningEffort | undefined): Readonly<Record<string, unknown>> {
  return reasoningFamilies.test(model) ? reasoningField(effort) : {}
}

function isClaude(model: string): boolean {
  return /claude/i.test(model)
}
