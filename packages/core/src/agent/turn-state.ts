import type { SessionMemory } from '../memory/session-memory.ts'
import type { ResolvedModel, Usage } from '../models/model.ts'
import type { TranscriptMessage } from '../models/transcript.ts'
import type { SessionNotes } from '../sessions/store.ts'
import type { ToolHandle } from '../tools/tool-source.ts'
import type { AgentContext } from './context.ts'
import type { TurnEvent } from './events.ts'
import type { SessionScope } from './session-scope.ts'
import type { TurnRequest } from './turn.ts'

export type Emit = (event: TurnEvent) => Promise<void> | undefined

/** A turn under way. */
export interface Turn {
  readonly request: TurnRequest
  readonly context: AgentContext
  readonly scope: SessionScope
  /** The one that answers now: another one than the turn began with when that has failed. */
  model: ResolvedModel
  readonly tools: ReadonlyMap<string, ToolHandle>
  /** The long-term memory, where there is one. */
  readonly memory: SessionMemory | undefined
  /** The session that the conversation goes on in: another one after a compaction. */
  sessionId: string
  systemPrompt: string
  /** Messages that go before the history and are not stored. */
  prefill: readonly TranscriptMessage[]
  /** Resolves when the person's message is stored and the turn's beginning told. The model is asked meanwhile. */
  readonly opening: Promise<void>
  /** Waits for the opening. */
  readonly emit: Emit
  readonly signal: AbortSignal
  readonly startedAt: number
  readonly maxIterations: number
  /** Everything stored, in order; grows as the turn goes on. */
  history: TranscriptMessage[]
  readonly callIds: Set<string>
  usage: Usage
  /** What is to be stored of the session with the next message. */
  notes: SessionNotes | undefined
  modelCalls: number
  /** Model calls that only had a script run, and so do not count to the limit; at most as many as the limit. */
  refunded: number
  /** Answers in a row that were of no use. */
  broken: number
  continuations: number
  /** Text of the answer so far, over its continuations. */
  text: string
}
