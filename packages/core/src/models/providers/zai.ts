import { hostedDialect, thinkingSwitch } from './hosted.ts'
import { variables } from './provider.ts'
import type { ProviderAddress, ProviderFacts } from './provider.ts'

/** Pay as you go and the coding plan, abroad and in China, have accounts of their own. */
const addresses: readonly ProviderAddress[] = [
  { id: 'global', label: 'Global', baseUrl: 'https://api.z.ai/api/paas/v4', model: 'glm-5' },
  { id: 'cn', label: 'China', baseUrl: 'https://open.bigmodel.cn/api/paas/v4', model: 'glm-5' },
  {
    id: 'coding-global',
    label: 'Global (Coding Plan)',
    baseUrl: 'https://api.z.ai/api/coding/paas/v4',
    model: 'glm-4.7',
  },
  {
    id: 'coding-cn',
    label: 'China (Coding Plan)',
    baseUrl: 'https://open.bigmodel.cn/api/coding/paas/v4',
    model: 'glm-4.7',
  },
]

export const zai: ProviderFacts = {
  name: 'zai',
  label: 'Z.AI',
  keys: variables('GLM_API_KEY', 'ZAI_API_KEY', 'Z_AI_API_KEY'),
  needsKey: true,
  baseUrlVariable: 'GLM_BASE_URL',
  baseUrl: 'https://api.z.ai/api/paas/v4',
  addresses,
  hosts: ['open.bigmodel.cn'],
  isSubscription: ({ baseUrl }) => baseUrl.includes('/api/coding/'),
  sideModel: 'glm-4.5-flash',
  isFoundByKey: true,
  speaks: { chat: { ...hostedDialect, reasoning: thinkingSwitch } },
}
