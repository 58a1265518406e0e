import { hostedDialect } from './hosted.ts'
import { variables } from './provider.ts'
import type { ProviderFacts } from './provider.ts'

/** Ollama on its makers’ machines. */
export const ollamaCloud: ProviderFacts = {
  name: 'ollama-cloud',
  label: 'Ollama Cloud',
  keys: variables('OLLAMA_API_KEY'),
  needsKey: true,
  baseUrlVariable: 'OLLAMA_CLOUD_BASE_URL',
  baseUrl: 'https://ollama.com/v1',
  isFoundByKey: true,
  speaks: { chat: hostedDialect },
}
