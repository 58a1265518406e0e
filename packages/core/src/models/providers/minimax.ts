import { bearerDialect } from '../anthropic/dialect.ts'
import { hostedDialect } from './hosted.ts'
import { variables } from './provider.ts'
import type { ProviderFacts } from './provider.ts'

// Two APIs at two addresses; which one is seen by the address.
const common = {
  needsKey: true,
  defaultModel: 'MiniMax-M2.7',
  sideModel: 'MiniMax-M2.7',
  isFoundByKey: true,
  speaks: { messages: bearerDialect, chat: hostedDialect },
  wireFor: (_model: string, baseUrl: string) => (baseUrl.endsWith('/anthropic') ? 'messages' : 'chat'),
} as const

export const miniMax: ProviderFacts = {
  ...common,
  name: 'minimax',
  label: 'MiniMax',
  keys: variables('MINIMAX_API_KEY'),
  baseUrlVariable: 'MINIMAX_BASE_URL',
  baseUrl: 'https://api.minimax.io/anthropic',
}

export const miniMaxChina: ProviderFacts = {
  ...common,
  name: 'minimax-cn',
  label: 'MiniMax, China',
  keys: variables('MINIMAX_CN_API_KEY'),
  baseUrlVariable: 'MINIMAX_CN_BASE_URL',
  baseUrl: 'https://api.minimaxi.com/anthropic',
}
