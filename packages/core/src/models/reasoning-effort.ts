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
