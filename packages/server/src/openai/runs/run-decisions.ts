import type { ApprovalChoice, Decide, DecisionAnswer, DecisionRequest } from '@hermes/core/agent/decision.ts'
import { unanswered } from '@hermes/core/agent/decision.ts'

type Approval = Extract<DecisionRequest, { kind: 'approval' }>

/** What a run asks its client. */
export interface RunDecisions {
  readonly decide: Decide
  /** Open questions, oldest first. */
  open(): readonly Approval[]
  /** Answers these questions. */
  answer(approvals: readonly Approval[], choice: ApprovalChoice): void
}

export interface RunDecisionsOptions {
  /** How long a question waits; then it is denied. */
  readonly timeoutMs: number
  readonly onRequest: (request: Approval) => void
  readonly onResult: (request: Approval, choice: string) => void
}

/** Questions of one run; more are denied. */
const maxOpen = 16

export function createRunDecisions({ timeoutMs, onRequest, onResult }: RunDecisionsOptions): RunDecisions {
  const waiting = new Map<Approval, (answer: DecisionAnswer) => void>()
  return {
    async decide(request, signal) {
      signal.throwIfAborted()
      // Only consent can be given over this wire: a secret would lie in logs of both sides.
      if (request.kind !== 'approval' || waiting.size >= maxOpen) return unanswered(request, 'unavailable')
      const { promise, resolve, reject } = Promise.withResolvers<DecisionAnswer>()
      waiting.set(request, resolve)
      const abort = () => reject(signal.reason)
      const timer = setTimeout(() => resolve(unanswered(request, 'timeout')), timeoutMs)
      signal.addEventListener('abort', abort, { once: true })
      try {
        onRequest(request)
        const answer = await promise
        if (answer.kind === 'approval') onResult(request, answer.choice)
        return answer
      } finally {
        clearTimeout(timer)
        signal.removeEventListener('abort', abort)
        waiting.delete(request)
      }
    },
    open: () => [...waiting.keys()],
    answer(approvals, choice) {
      for (const approval of approvals) waiting.get(approval)?.({ kind: 'approval', choice })
    },
  }
}
