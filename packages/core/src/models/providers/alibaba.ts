import { hostedDialect } from './hosted.ts'
import { variables } from './provider.ts'
import type { ProviderFacts } from './provider.ts'

export const alibaba: ProviderFacts = {
  name: 'alibaba',
  label: 'Alibaba DashScope',
  keys: variables('DASHSCOPE_API_KEY'),
  needsKey: true,
  baseUrlVariable: 'DASHSCOPE_BASE_URL',
  baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
  isFoundByKey: true,
  speaks: { chat: hostedDialect },
}
