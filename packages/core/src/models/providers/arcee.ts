import { hostedDialect } from './hosted.ts'
import { variables } from './provider.ts'
import type { ProviderFacts } from './provider.ts'

export const arcee: ProviderFacts = {
  name: 'arcee',
  label: 'Arcee',
  keys: variables('ARCEEAI_API_KEY'),
  needsKey: true,
  baseUrlVariable: 'ARCEE_BASE_URL',
  baseUrl: 'https://api.arcee.ai/api/v1',
  isFoundByKey: true,
  speaks: { chat: hostedDialect },
}
