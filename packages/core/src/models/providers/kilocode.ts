import { hostedDialect } from './hosted.ts'
import { variables } from './provider.ts'
import type { ProviderFacts } from './provider.ts'

export const kiloCode: ProviderFacts = {
  name: 'kilocode',
  label: 'Kilo Code',
  keys: variables('KILOCODE_API_KEY'),
  needsKey: true,
  baseUrlVariable: 'KILOCODE_BASE_URL',
  baseUrl: 'https://api.kilo.ai/api/gateway',
  sideModel: 'google/gemini-3-flash-preview',
  isAggregator: true,
  isFoundByKey: true,
  speaks: { chat: { ...hostedDialect, replay: () => 'details' } },
}
