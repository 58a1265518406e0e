import { hostedDialect } from './hosted.ts'
import { variables } from './provider.ts'
import type { ProviderFacts } from './provider.ts'

export const deepSeek: ProviderFacts = {
  name: 'deepseek',
  label: 'DeepSeek',
  keys: variables('DEEPSEEK_API_KEY'),
  needsKey: true,
  baseUrlVariable: 'DEEPSEEK_BASE_URL',
  baseUrl: 'https://api.deepseek.com/v1',
  isFoundByKey: true,
  speaks: { chat: hostedDialect },
}
