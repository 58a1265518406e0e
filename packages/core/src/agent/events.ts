import type { Usage } from '../models/model.ts'
import type { CallCost } from '../models/pricing.ts'
import type { KeyLimits } from '../models/rate-limits.ts'
import type { ToolStatus } from '../tools/tool.ts'
import type { DecisionAnswer, DecisionRequest } from './decision.ts'

/** How a turn ended. `incomplete`: it stopped at a limit, with what it had so far. */
export type TurnStatus = 'completed' | 'incomplete' | 'cancelled' | 'failed'

/** A failure as people and programs read it. */
export interface TurnFailure {
  /** A `ModelErrorCode`, or `budget`, `internal`. */
  readonly code: string
  /** What failed and what to do next; no secrets. */
  readonly message: string
}

/** Why a history is made shorter: it is past the threshold, the provider refused it as too long, a person asked. */
export type CompactionReason = 'threshold' | 'overflow' | 'manual'

/** What happens in a turn, in order. Begins with `turn-start`, ends with exactly one `turn-end`. Survives JSON. */
export type TurnEvent =
  | { readonly type: 'turn-start'; readonly sessionId: string; readonly model: string; readonly provider: string }
  | { readonly type: 'text-delta'; readonly text: string }
  | { readonly type: 'reasoning-delta'; readonly text: string }
  /** What the model said so far in this answer is void (the stream broke and is tried again). */
  | { readonly type: 'answer-reset' }
  /** One answer of the model is complete and stored; tool calls may follow. */
  | { readonly type: 'answer-end'; readonly text: string; readonly toolCalls: number }
  | {
      readonly type: 'tool-start'
      readonly callId: string
      readonly name: string
      /** Parsed arguments, secrets redacted. */
      readonly args: unknown
      /** One line for people. */
      readonly preview: string
    }
  | { readonly type: 'tool-progress'; readonly callId: string; readonly text: string }
  | {
      readonly type: 'tool-end'
      readonly callId: string
      readonly name: string
      readonly status: ToolStatus
      readonly durationMs: number
      /** What the model gets, secrets redacted. */
      readonly content: string
    }
  | { readonly type: 'decision-request'; readonly request: DecisionRequest }
  | { readonly type: 'decision-result'; readonly id: string; readonly answer: DecisionAnswer }
  /** Tokens and cost of one model call. */
  | {
      readonly type: 'usage'
      readonly usage: Usage
      /** Who answered: another one than `turn-start` names where that failed. */
      readonly answeredBy?: { readonly model: string; readonly provider: string }
      readonly cost?: CallCost
      /** What is left of the limits of the key that was used, where the provider tells. */
      readonly rateLimits?: KeyLimits
      readonly contextTokens: number
      readonly contextLength: number
    }
  /** The history is about to be made shorter, which may take as long as a model call. */
  | { readonly type: 'compaction-start'; readonly reason: CompactionReason; readonly tokens: number }
  /** From here on the conversation goes on as session `sessionId`, with a shorter history; faces use that id from now. */
  | {
      readonly type: 'compaction'
      readonly reason: CompactionReason
      /** The session that has the whole history, now ended. */
      readonly fromSessionId: string
      readonly sessionId: string
      readonly title?: string
      /** `pruned`: old tool output was cleared. `summary`: a model summarised. `extract`: picked out without a model. */
      readonly method: 'pruned' | 'summary' | 'extract'
      readonly messagesBefore: number
      readonly messagesAfter: number
      /** Tokens of a request, as well as they are known. */
      readonly tokensBefore: number
      readonly tokensAfter: number
    }
  /** Something people should know: a retry, a fallback, the offline model. */
  | { readonly type: 'notice'; readonly level: 'info' | 'warning'; readonly code: string; readonly message: string }
  | {
      readonly type: 'turn-end'
      readonly status: TurnStatus
      /** The final answer, or what there was of it. */
      readonly text: string
      readonly failure?: TurnFailure
      /** Sum over the turn's model calls. */
      readonly usage: Usage
      readonly modelCalls: number
      readonly durationMs: number
    }

/**
 * An event with its number within the session, from 1 upward without gaps while the process lives. After a `compaction`
 * the session that goes on counts on.
 */
export type NumberedEvent = TurnEvent & { readonly seq: number }
