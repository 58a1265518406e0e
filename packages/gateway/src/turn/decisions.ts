import { randomBytes } from 'node:crypto'
import type { ApprovalChoice, Decide, DecisionAnswer, DecisionRequest } from '@hermes/core/agent/decision.ts'
import { unanswered } from '@hermes/core/agent/decision.ts'

/** A question that a chat has not answered. */
export interface OpenDecision {
  /** Short, so that it fits a button, and never used again: buttons outlive the process that made them. */
  readonly id: string
  readonly request: DecisionRequest
}

/** Questions of running turns to the people of their chats. */
export interface Decisions {
  /** How long a question waits for its answer, ms. */
  readonly timeoutMs: number
  /** A turn's way to ask: `show` brings the question to the chat. */
  decideFor(sessionKey: string, show: (open: OpenDecision) => Promise<void>): Decide
  /** Questions of a chat, oldest first. */
  open(sessionKey: string): readonly OpenDecision[]
  /** Answers approvals of a chat: the oldest one or all. Resolves to how many. */
  approve(sessionKey: string, choice: ApprovalChoice, all: boolean): number
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
  const remove = (sessionKey: string, waiting: Waiting) => {
    const left = listOf(sessionKey).filter((one) => one !== waiting)
    if (left.length > 0) chats.set(sessionKey, left)
    else chats.delete(sessionKey)
  }

  return {
    timeoutMs,
    decideFor: (sessionKey, show) => async (request, signal) => {
      signal.throwIfAborted()
      // What is typed into a chat stays there, so no secret is asked for.
      if (request.kind === 'secret' || listOf(sessionKey).length >= maxOpen) return unanswered(request, 'unavailable')
      const { promise, resolve, reject } = Promise.withResolvers<DecisionAnswer>()
      const waiting: Waiting = { id: randomBytes(6).toString('hex'), request, resolve }
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
    open: (sessionKey) => listOf(sessionKey),
    approve(sessionKey, choice, all) {
      const approvals = listOf(sessionKey).filter(({ request }) => request.kind === 'approval')
      const chosen = all ? approvals : approvals.slice(0, 1)
      for (const { request, resolve } of chosen) resolve({ kind: 'approval', choice: allowedChoice(request, choice) })
      return chosen.length
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

/** What is not offered for good holds for the session. */
function allowedChoice(request: DecisionRequest, choice: ApprovalChoice): ApprovalChoice {
  if (request.kind !== 'approval' || request.choices.includes(choice)) return choice
  return choice === 'always' && request.choices.includes('session') ? 'session' : 'once'
}
