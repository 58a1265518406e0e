import { hostedDialect, thinkingSwitch } from './hosted.ts'
import { variables } from './provider.ts'
import type { ProviderFacts } from './provider.ts'

export const zai: ProviderFacts = {
  name: 'zai',
  label: 'Z.AI',
  keys: variables('GLM_API_KEY', 'ZAI_API_KEY', 'Z_AI_API_KEY'),
  needsKey: true,
  baseUrlVariable: 'GLM_BASE_URL',
  baseUrl: 'https://api.z.ai/api/paas/v4',
  sideModel: 'glm-4.5-flash',
  isFoundByKey: true,
  speaks: { chat: { ...hostedDialect, reasoning: thinkingSwitch } },
}
