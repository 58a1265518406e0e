import { openAiEffort } from '../openai-compatible/dialect.ts'
import type { Dialect } from '../openai-compatible/dialect.ts'
import { hasPriority, ownDialect } from '../responses/dialect.ts'
import { isGpt5 } from './gpt-5.ts'
import { variables } from './provider.ts'
import type { ProviderFacts } from './provider.ts'

// Surprises: message fields that the API does not know are an error, `max_tokens` is refused by the reasoning models, and
// what they reason comes out, and can be given back, by the Responses API alone.

const chatDialect: Dialect = {
  maxTokensField: 'max_completion_tokens',
  extraBody: ({ model, sessionId, priority }) => ({
    ...(sessionId !== undefined && { prompt_cache_key: sessionId }),
    ...(priority && hasPriority(model) && { service_tier: 'priority' }),
  }),
  reasoning: openAiEffort,
  replay: () => 'none',
  developerRole: (model) => /gpt-5|codex|^o[134]/i.test(model),
  strictFields: true,
  inlineReasoning: false,
  inlineCalls: false,
}

export const openAi: ProviderFacts = {
  name: 'openai',
  label: 'OpenAI',
  keys: variables('OPENAI_API_KEY'),
  needsKey: true,
  baseUrlVariable: 'OPENAI_BASE_URL',
  baseUrl: 'https://api.openai.com/v1',
  keyPage: 'https://platform.openai.com/api-keys',
  defaultModel: 'gpt-5',
  isFoundByKey: true,
  elsewhere: 'custom',
  speaks: { responses: ownDialect, chat: chatDialect },
  // The API that came first is kept for other servers under OpenAI's name.
  wireFor: (model, baseUrl) =>
    isGpt5(model) || /^o[134]|codex/.test(model) || URL.parse(baseUrl)?.hostname === 'api.openai.com'
      ? 'responses'
      : 'chat',
}
