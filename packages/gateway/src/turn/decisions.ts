import { randomBytes } from 'node:crypto'
import type { ApprovalChoice, Decide, DecisionAnswer, DecisionRequest } from '@hermes/core/agent/decision.ts'
import { unanswered } from '@hermes/core/agent/decision.ts'
import type { ChatRef } from '../messages/outbound-message.ts'

/** A question that a chat has not answered. */
export interface OpenDecision {
  /** Short, so that it fits a button, and never used again: buttons outlive the process that made them. */
  readonly id: string
  readonly request: DecisionRequest
  /** The conversation whose turn asks. */
  readonly sessionKey: string
  /** It is asked in a chat that is not its own. */
  readonly elsewhere?: AskedElsewhere
}

/** Where a turn asks whose own chat nobody reads. */
export interface AskedElsewhere {
  readonly chat: ChatRef
  /** Who asks there, for people: `the webhook "ci"`. */
  readonly by: string
}

/** Who answers: somebody in a conversation, and the chat that it is in, which may answer what others ask there. */
export interface AnsweringPlace {
  readonly sessionKey: string
  readonly chat?: ChatRef
}

/** Questions of running turns to the people of their chats. */
export interface Decisions {
  /** How long a question waits for its answer, ms. */
  readonly timeoutMs: number
  /** A turn's way to ask: `show` brings the question to the chat. */
  decideFor(sessionKey: string, show: (open: OpenDecision) => Promise<void>, elsewhere?: AskedElsewhere): Decide
  /** Questions of a conversation, oldest first; with `chat` those after them that others ask in that chat. */
  open(sessionKey: string, chat?: ChatRef): readonly OpenDecision[]
  /** Answers approvals that wait in a place: the first one or all. Resolves to those. */
  approve(place: AnsweringPlace, choice: ApprovalChoice, all: boolean): readonly OpenDecision[]
  /** Answers one question of a chat by its id; false where it is decided already. */
  answer(sessionKey: string, id: string, text: string): boolean
}

/** Open questions of one chat; more are denied. */
const maxOpen = 16

/** Timers take no more, ms. */
const maxTimerMs = 2 ** 31 - 1

interface Waiting extends OpenDecision {
  readonly resolve: (answer: DecisionAnswer) => void
}

/** `timeoutMs`: how long a question waits; then it is denied. */
export function createDecisions(timeoutMs: number): Decisions {
  const chats = new Map<string, Waiting[]>()

  const listOf = (sessionKey: string) => chats.get(sessionKey) ?? []
  const open = (sessionKey: string, chat?: ChatRef) => [
    ...listOf(sessionKey),
    ...(chat ? [...chats.values()].flat().filter(({ elsewhere }) => elsewhere && isIn(chat, elsewhere.chat)) : []),
  ]
  const remove = (sessionKey: string, waiting: Waiting) => {
    const left = listOf(sessionKey).filter((one) => one !== waiting)
    if (left.length > 0) chats.set(sessionKey, left)
    else chats.delete(sessionKey)
  }

  return {
    timeoutMs,
    decideFor: (sessionKey, show, elsewhere) => async (request, signal) => {
      signal.throwIfAborted()
      // What is typed into a chat stays there, so no secret is asked for.
      if (request.kind === 'secret' || listOf(sessionKey).length >= maxOpen) return unanswered(request, 'unavailable')
      const { promise, resolve, reject } = Promise.withResolvers<DecisionAnswer>()
      const id = randomBytes(6).toString('hex')
      const waiting: Waiting = { id, request, sessionKey, resolve, ...(elsewhere && { elsewhere }) }
      chats.set(sessionKey, [...listOf(sessionKey), waiting])
      const abort = () => reject(signal.reason)
      const timer = setTimeout(() => resolve(unanswered(request, 'timeout')), Math.min(timeoutMs, maxTimerMs))
      signal.addEventListener('abort', abort, { once: true })
      try {
        show(waiting).catch(() => resolve(unanswered(request, 'unavailable')))
        return await promise
      } finally {
        clearTimeout(timer)
        signal.removeEventListener('abort', abort)
        remove(sessionKey, waiting)
      }
    },
    open,
    approve({ sessionKey, chat }, choice, all) {
      const approvals = open(sessionKey, chat).filter(({ request }) => request.kind === 'approval')
      const chosen = all ? approvals : approvals.slice(0, 1)
      for (const { request, resolve } of chosen) resolve({ kind: 'approval', choice: allowedChoice(request, choice) })
      return chosen
    },
    answer(sessionKey, id, text) {
      const found = listOf(sessionKey).find((one) => one.id === id)
      if (!found) return false
      const { request, resolve } = found
      if (request.kind === 'approval') {
        const choice = request.choices.find((one) => one === text)
        if (!choice) return false
        resolve({ kind: 'approval', choice })
      } else if (request.kind === 'clarify') resolve({ kind: 'clarify', answer: text, outcome: 'answered' })
      return true
    },
  }
}

/** Whether a chat is the one that a question was asked in; a thread of it will do, since answers may be written in one. */
function isIn(chat: ChatRef, asked: ChatRef): boolean {
  const isThread = chat.threadId === undefined || asked.threadId === undefined || chat.threadId === asked.threadId
  return chat.platform === asked.platform && chat.chatId === asked.chatId && isThread
}

/** What is not offered for good holds for the session. */
function allowedChoice(request: DecisionRequest, choice: ApprovalChoice): ApprovalChoice {
  if (request.kind !== 'approval' || request.choices.includes(choice)) return choice
  return choice === 'always' && request.choices.includes('session') ? 'session' : 'once'
}
