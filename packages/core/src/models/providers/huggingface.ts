import { hostedDialect } from './hosted.ts'
import { variables } from './provider.ts'
import type { ProviderFacts } from './provider.ts'

/** Its token is mostly there to download models. */
export const huggingFace: ProviderFacts = {
  name: 'huggingface',
  label: 'Hugging Face',
  keys: variables('HF_TOKEN'),
  needsKey: true,
  baseUrlVariable: 'HF_BASE_URL',
  baseUrl: 'https://router.huggingface.co/v1',
  isAggregator: true,
  isFoundByKey: false,
  speaks: { chat: hostedDialect },
}
