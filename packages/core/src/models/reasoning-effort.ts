import type { ReasoningEffort } from './model.ts'

/** How much a model may think, from nothing upward. */
export const reasoningEfforts: readonly ReasoningEffort[] = [
  'none',
  'minimal',
  'low',
  'medium',
  'high',
  'xhigh',
  'max',
  'ultra',
]

export function isReasoningEffort(value: unknown): value is ReasoningEffort {
  return reasoningEfforts.some((effort) => effort === value)
}

/** The step for models that have three; none at all is their lowest. */
export function threeSteps(effort: ReasoningEffort): 'low' | 'medium' | 'high' {
  const at = reasoningEfforts.indexOf(effort)
  if (at < reasoningEfforts.indexOf('medium')) return 'low'
  return effort === 'medium' ? 'medium' : 'high'
}
