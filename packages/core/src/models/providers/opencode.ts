import { keyDialect } from '../anthropic/dialect.ts'
import { ownDialect } from '../responses/dialect.ts'
import { hostedDialect } from './hosted.ts'
import { variables } from './provider.ts'
import type { ProviderFacts } from './provider.ts'

/** Every maker's models by that maker's own API (https://opencode.ai/docs/zen). */
export const openCodeZen: ProviderFacts = {
  name: 'opencode-zen',
  label: 'OpenCode Zen',
  keys: variables('OPENCODE_ZEN_API_KEY'),
  needsKey: true,
  baseUrlVariable: 'OPENCODE_ZEN_BASE_URL',
  baseUrl: 'https://opencode.ai/zen/v1',
  sideModel: 'gemini-3-flash',
  isFoundByKey: true,
  speaks: { chat: hostedDialect, messages: keyDialect, responses: ownDialect },
  wireFor: (model) => (model.startsWith('claude-') ? 'messages' : model.startsWith('gpt-') ? 'responses' : 'chat'),
}

export const openCodeGo: ProviderFacts = {
  name: 'opencode-go',
  label: 'OpenCode Go',
  keys: variables('OPENCODE_GO_API_KEY'),
  needsKey: true,
  baseUrlVariable: 'OPENCODE_GO_BASE_URL',
  baseUrl: 'https://opencode.ai/zen/go/v1',
  sideModel: 'glm-5',
  isFoundByKey: true,
  speaks: { chat: hostedDialect, messages: keyDialect },
  wireFor: (model) => (/^minimax/i.test(model) ? 'messages' : 'chat'),
}
