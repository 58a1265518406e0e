import { hostedDialect, thinkingSwitch } from './hosted.ts'
import { variables } from './provider.ts'
import type { ProviderFacts } from './provider.ts'

const speaks = { chat: { ...hostedDialect, reasoning: thinkingSwitch } }

/** Keys of the coding subscription belong to another address. */
export const kimi: ProviderFacts = {
  name: 'kimi-coding',
  label: 'Kimi (Moonshot)',
  keys: variables('KIMI_API_KEY'),
  needsKey: true,
  baseUrlVariable: 'KIMI_BASE_URL',
  baseUrl: 'https://api.moonshot.ai/v1',
  baseUrlByPrefix: { 'sk-kimi-': 'https://api.kimi.com/coding/v1' },
  isSubscription: ({ baseUrl }) => baseUrl.startsWith('https://api.kimi.com/coding'),
  hosts: ['api.kimi.com'],
  sideModel: 'kimi-k2-turbo-preview',
  isFoundByKey: true,
  speaks,
}

export const kimiChina: ProviderFacts = {
  name: 'kimi-coding-cn',
  label: 'Kimi (Moonshot), China',
  keys: variables('KIMI_CN_API_KEY'),
  needsKey: true,
  baseUrl: 'https://api.moonshot.cn/v1',
  sideModel: 'kimi-k2-turbo-preview',
  isFoundByKey: true,
  speaks,
}
