import { openAiEffort } from '../openai-compatible/dialect.ts'
import type { ProviderFacts } from './provider.ts'

// Surprises: message fields that the API does not know are an error, `max_tokens` is refused by the reasoning models,
// and the reasoning itself never comes out on this wire.

export const openAi: ProviderFacts = {
  name: 'openai',
  label: 'OpenAI',
  keyNames: ['OPENAI_API_KEY'],
  needsKey: true,
  baseUrlName: 'OPENAI_BASE_URL',
  baseUrl: 'https://api.openai.com/v1',
  keyPage: 'https://platform.openai.com/api-keys',
  defaultModel: 'gpt-5',
  isFoundByKey: true,
  elsewhere: 'custom',
  dialect: {
    maxTokensField: 'max_completion_tokens',
    extraBody: ({ sessionId }) => (sessionId === undefined ? {} : { prompt_cache_key: sessionId }),
    reasoning: openAiEffort,
    replay: () => 'none',
    developerRole: (model) => /gpt-5|codex|^o[134]/i.test(model),
    strictFields: true,
    inlineReasoning: false,
    inlineCalls: false,
  },
}
