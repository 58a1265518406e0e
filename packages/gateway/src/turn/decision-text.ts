import type { DecisionAnswer, DecisionRequest } from '@hermes/core/agent/decision.ts'
import type { Button } from '../messages/outbound-message.ts'
import type { OpenDecision } from './decisions.ts'
import { shownSubject } from './shown-subject.ts'

/** Longest subject of a question, characters. */
const subjectChars = 1_500

/** Mark of a button's data that belongs to a decision. */
const buttonMark = 'hd'

const labels = { once: 'Allow once', session: 'Allow for this session', always: 'Always allow', deny: 'Deny' } as const

/** A question as a chat shows it; with `hasButtons` it does not say how to answer by text. */
export function decisionText({ request }: OpenDecision, hasButtons: boolean): string {
  return request.kind === 'approval' ? approvalText(request, hasButtons) : clarifyText(request, hasButtons)
}

function approvalText(request: Extract<DecisionRequest, { kind: 'approval' }>, hasButtons: boolean): string {
  const { subject, reason, choices } = request
  const shown = shownSubject(subject, subjectChars)
  const fence = shown.includes('```') ? '~~~~' : '```'
  const ways = choices.flatMap((choice) =>
    choice === 'deny' ? [] : [choice === 'once' ? '/approve' : `/approve ${choice}`],
  )
  const how = hasButtons ? [] : [`Answer with ${[...ways, '/deny'].join(', ')}.`]
  return [`⚠️ This needs your consent (${reason}):`, `${fence}\n${shown}\n${fence}`, ...how].join('\n')
}

function clarifyText(request: Exclude<DecisionRequest, { kind: 'approval' }>, hasButtons: boolean): string {
  if (request.kind === 'secret') return request.prompt
  const choices = hasButtons ? [] : request.choices.map((choice, at) => `${at + 1}. ${choice}`)
  return [`❓ ${request.question}`, ...choices].join('\n')
}

const outcomes = {
  once: '✅ Allowed once',
  session: '✅ Allowed for this session',
  always: '✅ Always allowed',
  deny: '⛔ Denied',
  timeout: '⌛ Not answered in time: denied',
  unavailable: '⛔ Denied',
} as const

/** How a question ended; without an answer its turn was stopped. */
export function outcomeText(answer: DecisionAnswer | undefined): string {
  if (answer?.kind === 'approval') return outcomes[answer.choice]
  if (answer?.kind === 'clarify' && answer.answer !== undefined) return `✅ ${answer.answer}`
  return answer ? '⌛ Not answered' : '⏹ Stopped'
}

/** Buttons that answer a question. */
export function decisionButtons({ id, request }: OpenDecision): readonly Button[] {
  if (request.kind === 'approval') {
    return request.choices.map((choice) => ({ label: labels[choice], data: `${buttonMark}:${id}:${choice}` }))
  }
  if (request.kind === 'secret') return []
  return request.choices.map((choice, at) => ({ label: choice, data: `${buttonMark}:${id}:${at}` }))
}

/** What a button of ours says. Undefined: it is none. */
export function pressedDecision(data: string): { readonly id: string; readonly value: string } | undefined {
  const [mark, id, value] = data.split(':')
  return mark === buttonMark && id !== undefined && value !== undefined ? { id, value } : undefined
}

/** The answer that a person means who writes to an open question: the number of a choice, or their own words. */
export function clarifyAnswer(request: DecisionRequest, text: string): string {
  const number = /^\s*(\d)[.)]?\s*$/.exec(text)?.[1]
  const choice = request.kind === 'clarify' && number !== undefined ? request.choices[Number(number) - 1] : undefined
  return choice ?? text.trim()
}
