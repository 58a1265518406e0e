import type { ReasoningEffort } from './model.ts'
import { reasoningEfforts as steps } from './reasoning-effort.ts'

/**
 * The step of effort that OpenAI's models take for one that a person chose; undefined for families that have none. Servers
 * answer 400 to an effort for other models, and to steps that the model does not know.
 */
export function openAiStep(model: string, effort: ReasoningEffort): ReasoningEffort | undefined {
  const name = model.toLowerCase()
  if (/gpt-oss/.test(name)) return clamp(effort, 'low', 'high')
  if (/(^|\/)o[134](-|$)/.test(name)) return clamp(effort, 'low', 'high')
  if (/gpt-5\.[1-9]/.test(name)) {
    const top = /codex-max|gpt-5\.[2-9]/.test(name) ? 'xhigh' : 'high'
    return effort === 'minimal' ? 'low' : effort === 'none' ? 'none' : clamp(effort, 'low', top)
  }
  return /gpt-5(?!.*chat)/.test(name) ? clamp(effort, 'minimal', 'high') : undefined
}

function clamp(effort: ReasoningEffort, lowest: ReasoningEffort, highest: ReasoningEffort): ReasoningEffort {
  const at = Math.min(Math.max(steps.indexOf(effort), steps.indexOf(lowest)), steps.indexOf(highest))
  return steps[at] ?? lowest
}
