import { noUsage } from '../models/model.ts'
import type { Usage } from '../models/model.ts'
import type { AssistantMessage } from '../models/transcript.ts'
import type { TurnEvent, TurnFailure, TurnStatus } from './events.ts'
import type { ModelAnswer } from './model-answer.ts'
import type { Turn } from './turn-state.ts'

/** What a turn came to. */
export interface Outcome {
  readonly status: TurnStatus
  readonly text: string
  readonly failure?: TurnFailure
}

/** What an answer without calls makes of its turn. */
export function finalOutcome(turn: Turn, answer: ModelAnswer): Outcome {
  const { text } = turn
  if (answer.finish === 'length') {
    const message = 'The answer is longer than the model may write in one go, even over several; ask it to go on.'
    return { status: 'incomplete', text, failure: { code: 'output-limit', message } }
  }
  if (answer.finish === 'content_filter') {
    const message = 'The provider withheld the answer (content filter). Rephrase the request or use another model.'
    return { status: 'failed', text, failure: { code: 'content-filter', message } }
  }
  if (text.trim() === '') {
    const said = earlierText(turn)
    if (said) return { status: 'completed', text: said }
    const message = 'The model answered nothing, several times. Try again, or use another model (/model).'
    return { status: 'failed', text, failure: { code: 'empty-answer', message } }
  }
  return { status: 'completed', text }
}

/** What the model said beside its last tool calls in this turn, for answers that end in silence. */
function earlierText(turn: Turn): string | undefined {
  const from = turn.history.findLastIndex((message) => message.role === 'user')
  return turn.history
    .slice(from)
    .filter((message): message is AssistantMessage => message.role === 'assistant')
    .findLast((message) => message.content.trim() !== '')?.content
}

/** The event that ends a turn. */
export function turnEnd(given: {
  readonly status: TurnStatus
  readonly startedAt: number
  readonly text?: string
  readonly failure?: TurnFailure
  readonly usage?: Usage
  readonly modelCalls?: number
}): Extract<TurnEvent, { type: 'turn-end' }> {
  return {
    type: 'turn-end',
    status: given.status,
    text: given.text ?? '',
    ...(given.failure && { failure: given.failure }),
    usage: given.usage ?? noUsage,
    modelCalls: given.modelCalls ?? 0,
    durationMs: performance.now() - given.startedAt,
  }
}
