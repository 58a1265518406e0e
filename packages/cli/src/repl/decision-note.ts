import type { DecisionAnswer } from '@hermes/core/agent/decision.ts'
import type { Tone } from './view.ts'

const approvals = {
  once: ['Allowed once.', 'dim'],
  session: ['Allowed for this session.', 'dim'],
  always: ['Always allowed from now on.', 'dim'],
  deny: ['Denied.', 'warning'],
  timeout: ['Denied: no answer in time.', 'warning'],
  unavailable: ['Denied: nobody is there to ask.', 'warning'],
} as const

/** What was decided, as a line for the conversation. A secret is not in it. */
export function answerNote(answer: DecisionAnswer): readonly [note: string, tone: Tone] {
  if (answer.kind === 'approval') return approvals[answer.choice]
  if (answer.outcome === 'answered')
    return [answer.kind === 'clarify' ? `Answered: ${answer.answer ?? ''}` : 'Entered.', 'dim']
  return [answer.outcome === 'timeout' ? 'No answer in time.' : 'Not answered.', 'warning']
}
