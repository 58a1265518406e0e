import { hostedDialect } from './hosted.ts'
import { variables } from './provider.ts'
import type { ProviderFacts } from './provider.ts'

/** Its cache is found by the conversation's id. */
export const xai: ProviderFacts = {
  name: 'xai',
  label: 'xAI',
  keys: variables('XAI_API_KEY'),
  needsKey: true,
  baseUrlVariable: 'XAI_BASE_URL',
  baseUrl: 'https://api.x.ai/v1',
  isFoundByKey: true,
  speaks: {
    chat: {
      ...hostedDialect,
      headers: ({ sessionId }): Record<string, string> =>
        sessionId === undefined ? {} : { 'x-grok-conv-id': sessionId },
    },
  },
}
