import { hostedDialect, reasoningField } from './hosted.ts'
import { variables } from './provider.ts'
import type { ProviderFacts } from './provider.ts'

export const aiGateway: ProviderFacts = {
  name: 'ai-gateway',
  label: 'Vercel AI Gateway',
  keys: variables('AI_GATEWAY_API_KEY'),
  needsKey: true,
  baseUrlVariable: 'AI_GATEWAY_BASE_URL',
  baseUrl: 'https://ai-gateway.vercel.sh/v1',
  sideModel: 'google/gemini-3-flash',
  isAggregator: true,
  isFoundByKey: true,
  speaks: {
    chat: {
      ...hostedDialect,
      reasoning: (_model, effort) => reasoningField(effort),
      replay: () => 'details',
    },
  },
}
