import { createHash } from 'node:crypto'
import { hostedDialect } from './hosted.ts'
import { variables } from './provider.ts'
import type { ProviderFacts } from './provider.ts'

// Surprises: a call's id has exactly nine letters or digits, fields that the API does not know are an error, and a
// person's message right after a tool's result is one too.

export const mistral: ProviderFacts = {
  name: 'mistral',
  label: 'Mistral',
  keys: variables('MISTRAL_API_KEY'),
  needsKey: true,
  baseUrlVariable: 'MISTRAL_BASE_URL',
  baseUrl: 'https://api.mistral.ai/v1',
  keyPage: 'https://console.mistral.ai/api-keys',
  // The key is often there for speech alone.
  isFoundByKey: false,
  speaks: {
    chat: {
      ...hostedDialect,
      reasoning: (model, effort) => (/magistral/i.test(model) && effort !== 'none' ? { prompt_mode: 'reasoning' } : {}),
      replay: () => 'none',
      strictFields: true,
      callId,
      betweenResultAndUser: 'Understood.',
      inlineReasoning: false,
    },
  },
}

/** Ids of its own pass as they are; those that other models gave are spelled anew, always in the same way. */
export function callId(id: string): string {
  if (/^[a-zA-Z0-9]{9}$/.test(id)) return id
  const number = createHash('sha256').update(id).digest().readBigUInt64BE()
  return number.toString(36).padStart(9, '0').slice(-9)
}
