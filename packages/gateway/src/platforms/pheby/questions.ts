import { randomBytes } from 'node:crypto'
import type { Clock } from '@hermes/core/agent/clock.ts'
import type { DecisionAnswer } from '@hermes/core/agent/decision.ts'
import type { PhebyEvent, PhebyOf } from '@hermes/protocol/pheby/types.ts'
import type { Decisions } from '../../turn/decisions.ts'
import type { FaceQuestion } from '../turn-face.ts'
import type { Clients } from './clients.ts'
import { timestamp } from './timestamp.ts'

type ApprovalRequest = PhebyOf<PhebyEvent, 'approval.request'>
type ClarifyRequest = PhebyOf<PhebyEvent, 'clarify.request'>

/** A question that clients were shown. */
interface Shown {
  /** What clients call it: another name than the gateway's, which begins anew with each process. */
  readonly id: string
  readonly question: FaceQuestion
  readonly event: ApprovalRequest | ClarifyRequest
  answeredBy: { readonly requestId: string | undefined } | undefined
}

/** What became of an answer. `closed`: somebody was faster, or it is too late; `not-offered`: it is no choice of it. */
export type Answered = 'taken' | 'closed' | 'not-offered'

/** The open approvals and clarifications, as clients see them. */
export interface Questions {
  ask(question: FaceQuestion, runId: string | undefined): void
  /** It is over; without an answer its turn was stopped. */
  close(question: FaceQuestion, answer: DecisionAnswer | undefined): void
  answerApproval(id: string, choice: string, requestId: string | undefined): Answered
  answerClarify(id: string, response: string, requestId: string | undefined): Answered
  /** The conversation of an open question. */
  conversationOf(id: string): { readonly conversationId: string; readonly sessionKey: string } | undefined
  approvals(conversationId: string): readonly ApprovalRequest[]
  clarifications(conversationId: string): readonly ClarifyRequest[]
}

export interface QuestionsOptions {
  readonly clients: Clients
  readonly decisions: Decisions
  readonly clock: Clock
  readonly redact: (text: string) => string
}

export function createQuestions({ clients, decisions, clock, redact }: QuestionsOptions): Questions {
  const open = new Map<string, Shown>()

  const shownOf = ({ id, sessionKey }: FaceQuestion) =>
    [...open.values()].find(({ question }) => question.id === id && question.sessionKey === sessionKey)
  const eventOf = (
    id: string,
    { request, chat, sessionKey }: FaceQuestion,
    runId: string | undefined,
  ): Shown['event'] | undefined => {
    const common = {
      session_key: sessionKey,
      conversation_id: chat.chatId,
      ...(runId !== undefined && { run_id: runId }),
    }
    const ts = timestamp(clock.now())
    if (request.kind === 'approval') {
      return {
        type: 'approval.request',
        approval_id: id,
        ...common,
        command: redact(request.subject),
        description: redact(request.reason),
        choices: [...request.choices],
        ts,
      }
    }
    if (request.kind === 'clarify') {
      return {
        type: 'clarify.request',
        clarify_id: id,
        ...common,
        question: request.question,
        choices: request.choices.length > 0 ? [...request.choices] : null,
        allow_free_text: true,
        ts,
      }
    }
    return undefined
  }
  const answer = (shown: Shown | undefined, text: string, requestId: string | undefined): Answered => {
    if (!shown) return 'closed'
    const { request, id, sessionKey } = shown.question
    if (request.kind === 'approval' && !request.choices.some((choice) => choice === text)) return 'not-offered'
    if (!decisions.answer(sessionKey, id, text)) return 'closed'
    shown.answeredBy = { requestId }
    return 'taken'
  }
  const shown = (id: string, kind: 'approval' | 'clarify') => {
    const found = open.get(id)
    return found?.question.request.kind === kind && !found.answeredBy ? found : undefined
  }

  return {
    ask(question, runId) {
      const id = randomBytes(6).toString('hex')
      const event = eventOf(id, question, runId)
      if (!event) throw new Error('clients are not asked for secrets')
      open.set(id, { id, question, event, answeredBy: undefined })
      clients.broadcast(event)
    },
    close(question, given) {
      const found = shownOf(question)
      if (!found) return
      open.delete(found.id)
      // Changes a snapshot that is being made, though the event names no conversation.
      clients.changed(question.chat.chatId)
      const { requestId } = found.answeredBy ?? {}
      const common = { accepted: isAnswer(given), ...(requestId !== undefined && { request_id: requestId }) }
      if (question.request.kind === 'approval') {
        clients.broadcast({ type: 'approval.resolved', approval_id: found.id, choice: choiceOf(given), ...common })
      } else clients.broadcast({ type: 'clarify.resolved', clarify_id: found.id, ...common })
    },
    answerApproval: (id, choice, requestId) => answer(shown(id, 'approval'), choice, requestId),
    answerClarify: (id, response, requestId) => answer(shown(id, 'clarify'), response, requestId),
    conversationOf(id) {
      const found = open.get(id)
      return found && { conversationId: found.question.chat.chatId, sessionKey: found.question.sessionKey }
    },
    approvals: (conversationId) =>
      [...open.values()].flatMap(({ event }) =>
        event.type === 'approval.request' && event.conversation_id === conversationId ? [event] : [],
      ),
    clarifications: (conversationId) =>
      [...open.values()].flatMap(({ event }) =>
        event.type === 'clarify.request' && event.conversation_id === conversationId ? [event] : [],
      ),
  }
}

/** Whether a person has answered. */
function isAnswer(answer: DecisionAnswer | undefined): boolean {
  if (answer?.kind === 'approval') return answer.choice !== 'timeout' && answer.choice !== 'unavailable'
  return answer?.kind === 'clarify' && answer.outcome === 'answered'
}

/** What holds of an approval: what nobody has decided is denied. */
function choiceOf(answer: DecisionAnswer | undefined) {
  return answer?.kind === 'approval' && answer.choice !== 'timeout' && answer.choice !== 'unavailable'
    ? answer.choice
    : 'deny'
}
