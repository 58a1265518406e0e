import type { ReasoningEffort } from '../model.ts'
import { threeSteps } from '../reasoning-effort.ts'
import { schemaSubset } from '../openai-compatible/schema-subset.ts'
import type { Fields } from '../wire/json-fields.ts'
import { hostedDialect } from './hosted.ts'
import { variables } from './provider.ts'
import type { ProviderFacts } from './provider.ts'

// Surprises: a call carries a signature of the thought that led to it, and is refused without it when it comes back; a
// call by another model has none, for which there is a word to say so
// (https://ai.google.dev/gemini-api/docs/thought-signatures). Schemas may hold a part of JSON Schema only.

export const gemini: ProviderFacts = {
  name: 'gemini',
  label: 'Google Gemini',
  keys: variables('GOOGLE_API_KEY', 'GEMINI_API_KEY'),
  needsKey: true,
  baseUrlVariable: 'GEMINI_BASE_URL',
  baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
  keyPage: 'https://aistudio.google.com/apikey',
  defaultModel: 'gemini-3-flash-preview',
  sideModel: 'gemini-3-flash-preview',
  isFoundByKey: true,
  speaks: {
    chat: {
      ...hostedDialect,
      reasoning,
      replay: () => 'none',
      toolParameters: schemaSubset,
      callExtra: (call, model) => call.extra ?? (/gemini-[3-9]/.test(model) ? unsigned : undefined),
    },
  },
}

const unsigned = { google: { thought_signature: 'skip_thought_signature_validator' } }

/** Only the small model of one generation can do without thinking. */
function reasoning(model: string, effort: ReasoningEffort | undefined): Fields {
  if (effort === undefined || !/gemini-(2\.5|[3-9])/.test(model)) return {}
  if (effort === 'none' && /2\.5-flash/.test(model)) return { reasoning_effort: 'none' }
  return { reasoning_effort: threeSteps(effort) }
}
