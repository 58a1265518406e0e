import { familyOutputLimit } from '../model-limits.ts'
import { hostedDialect, reasoningField } from './hosted.ts'
import type { ProviderFacts } from './provider.ts'

/** Signed in to by a device code; what its calls carry is a key that is made from the token now and then. */
export const nous: ProviderFacts = {
  name: 'nous',
  label: 'Nous Portal',
  keys: [],
  needsKey: true,
  signsIn: true,
  baseUrlVariable: 'NOUS_INFERENCE_BASE_URL',
  baseUrl: 'https://inference-api.nousresearch.com/v1',
  sideModel: 'google/gemini-3-flash-preview',
  isAggregator: true,
  isFoundByKey: true,
  maxOutputTokens: (model) => (/claude/i.test(model) ? familyOutputLimit(model) : undefined),
  speaks: {
    chat: {
      ...hostedDialect,
      extraBody: () => ({ tags: ['product=hermes-agent'] }),
      reasoning: (_model, effort) => (effort === 'none' ? {} : reasoningField(effort)),
      replay: () => 'details',
      developerRole: (model) => /gpt-5|codex/i.test(model),
    },
  },
}
