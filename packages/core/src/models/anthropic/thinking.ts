import type { ModelRequest, ReasoningEffort } from '../model.ts'
import type { AssistantMessage } from '../transcript.ts'
import { thinkingBlocks } from './thinking-blocks.ts'

/** Tokens of thinking for each effort, where the model does not choose by itself (seed of upstream's levels). */
const budgets: Readonly<Record<Exclude<ReasoningEffort, 'none'>, number>> = {
  // The API's least, https://docs.anthropic.com/en/docs/build-with-claude/extended-thinking.
  minimal: 1_024,
  low: 4_000,
  medium: 8_000,
  high: 16_000,
  xhigh: 32_000,
  max: 48_000,
  ultra: 64_000,
}

const efforts: Readonly<Record<Exclude<ReasoningEffort, 'none'>, string>> = {
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'max',
  max: 'max',
  ultra: 'max',
}

/** What must be left for the answer beside the thinking, tokens. */
const answerTokens = 4_096

/**
 * Body fields that ask for an effort of thinking and so many tokens; thinking takes from them, so with a budget there are
 * more, up to `limit`. Nothing is asked where nobody chose an effort, the model does not think, or no room is left.
 */
export function thinkingFields(
  model: string,
  effort: ReasoningEffort | undefined,
  maxTokens: number,
  limit: number,
): Readonly<Record<string, unknown>> {
  const plain = { max_tokens: maxTokens }
  if (effort === undefined || effort === 'none' || !canThink(model)) return plain
  if (choosesItself(model)) {
    return { ...plain, thinking: { type: 'adaptive' }, output_config: { effort: efforts[effort] } }
  }
  const wanted = Math.min(Math.max(maxTokens, budgets[effort] + answerTokens), limit)
  const budget = Math.min(budgets[effort], wanted - answerTokens)
  if (budget < budgets.minimal) return plain
  return { max_tokens: wanted, thinking: { type: 'enabled', budget_tokens: budget } }
}

/**
 * Thinking can only be on while the calls that are being answered were made with it: after a change of model in the
 * middle of a turn they were not.
 */
export function possibleEffort({ reasoningEffort, messages }: ModelRequest): ModelRequest['reasoningEffort'] {
  const last = messages.findLast((message): message is AssistantMessage => message.role === 'assistant')
  const inToolLoop = messages.at(-1)?.role === 'tool'
  return inToolLoop && last && thinkingBlocks(last).length === 0 ? undefined : reasoningEffort
}

/** Claude 3.7 and all later models but the older Haikus. */
function canThink(model: string): boolean {
  return !/claude-3-(opus|sonnet|haiku|5)|claude-2|instant/.test(model)
}

/** Claude 4.6 and later take an effort and set their budget themselves. */
function choosesItself(model: string): boolean {
  const version = model.match(/claude-[a-z]+-(\d+)(?:-(\d{1,2}))?(?=-|$)/)
  const major = Number(version?.[1] ?? 0)
  return major > 4 || (major === 4 && Number(version?.[2] ?? 0) >= 6)
}
