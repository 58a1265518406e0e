import { plainDialect } from '../openai-compatible/dialect.ts'
import type { Dialect } from '../openai-compatible/dialect.ts'
import type { ReasoningEffort } from '../model.ts'
import type { Fields } from '../wire/json-fields.ts'

/** What hosted services that speak chat completions have in common: they parse reasoning and calls themselves. */
export const hostedDialect: Dialect = { ...plainDialect, inlineCalls: false }

/** How GLM and Kimi are told not to think. They think otherwise, as much as they like. */
export function thinkingSwitch(_model: string, effort: ReasoningEffort | undefined): Fields {
  return effort === 'none' ? { thinking: { type: 'disabled' } } : {}
}

/** OpenRouter's way to ask for an effort, which others in front of many providers have too. */
export function reasoningField(effort: ReasoningEffort = 'medium'): Fields {
  // The strongest that it knows.
  const known = effort === 'max' || effort === 'ultra' ? 'xhigh' : effort
  return { reasoning: effort === 'none' ? { enabled: false } : { enabled: true, effort: known } }
}
