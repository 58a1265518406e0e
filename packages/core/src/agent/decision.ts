/** A question that a turn cannot answer for itself. Faces show it; the person or the policy answers. */
export type DecisionRequest =
  | {
      readonly kind: 'approval'
      readonly id: string
      /** What would be done, e.g. the command line; secrets redacted. */
      readonly subject: string
      /** Why it needs consent, e.g. `recursive delete`. */
      readonly reason: string
      /** Keys that a session-wide or permanent approval covers. */
      readonly keys: readonly string[]
      /** The answers a person may give. */
      readonly choices: readonly ApprovalChoice[]
    }
  | {
      readonly kind: 'clarify'
      readonly id: string
      readonly question: string
      /** Offered answers, at most 4; a free answer is always possible. */
      readonly choices: readonly string[]
    }
  | {
      readonly kind: 'secret'
      readonly id: string
      /** e.g. `Password for sudo`. What is typed is never shown or stored. */
      readonly prompt: string
    }

export type ApprovalChoice = 'once' | 'session' | 'always' | 'deny'

/** The answer. `timeout`: nobody answered in time; `unavailable`: nobody is there to ask. Both deny. */
export type DecisionAnswer =
  | { readonly kind: 'approval'; readonly choice: ApprovalChoice | 'timeout' | 'unavailable' }
  | { readonly kind: 'clarify'; readonly answer: string | undefined; readonly outcome: DecisionOutcome }
  | { readonly kind: 'secret'; readonly value: string | undefined; readonly outcome: DecisionOutcome }

export type DecisionOutcome = 'answered' | 'timeout' | 'unavailable'

/** Asks and waits. Resolves with a denial of the request's kind rather than reject, except when `signal` aborts. */
export type Decide = (request: DecisionRequest, signal: AbortSignal) => Promise<DecisionAnswer>

/** The answer of a face where nobody can be asked. */
export function unanswered(request: DecisionRequest, outcome: 'timeout' | 'unavailable'): DecisionAnswer {
  if (request.kind === 'approval') return { kind: 'approval', choice: outcome }
  if (request.kind === 'clarify') return { kind: 'clarify', answer: undefined, outcome }
  return { kind: 'secret', value: undefined, outcome }
}

/** Denies everything at once: for faces without a person. */
export const nobody: Decide = async (request) => unanswered(request, 'unavailable')
