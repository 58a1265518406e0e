import { hostedDialect } from './hosted.ts'
import { variables } from './provider.ts'
import type { ProviderFacts } from './provider.ts'

export const xiaomi: ProviderFacts = {
  name: 'xiaomi',
  label: 'Xiaomi MiMo',
  keys: variables('XIAOMI_API_KEY'),
  needsKey: true,
  baseUrlVariable: 'XIAOMI_BASE_URL',
  baseUrl: 'https://api.xiaomimimo.com/v1',
  visionModel: 'mimo-v2-omni',
  isFoundByKey: true,
  speaks: { chat: hostedDialect },
}
