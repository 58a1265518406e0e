import type { AgentContext } from '../../agent/context.ts'
import type { TurnEvent } from '../../agent/events.ts'
import type { SessionScope } from '../../agent/session-scope.ts'
import type { ResolvedModel } from '../../models/model.ts'
import type { TranscriptMessage } from '../../models/transcript.ts'
import type { Session } from '../../sessions/store.ts'
import type { ModelSpending } from '../context-engine.ts'

/** A conversation that a compaction moves to a new session. */
export interface Conversation {
  readonly context: AgentContext
  readonly scope: SessionScope
  readonly model: ResolvedModel
  readonly sessionId: string
  /** Everything stored, in order. */
  readonly history: readonly TranscriptMessage[]
  /** The same as the model gets it: with what was recalled for its messages. */
  readonly sent: readonly TranscriptMessage[]
  /** Takes what was recalled for earlier messages out of the requests; false where there is nothing of it. */
  readonly forgetRecalled: () => boolean
  readonly emit: (event: TurnEvent) => Promise<void> | undefined
  /** Saves what should stay before a part is summarised. Resolves to what the summary should not lose. */
  readonly beforeSummary: () => Promise<string>
  /** The conversation goes on in a session that has these messages; it has no system prompt yet. */
  readonly moveTo: (session: Session, messages: readonly TranscriptMessage[]) => Promise<void>
  /** Counts what a side call took, after `moveTo` if there is one. */
  readonly spend: (spending: ModelSpending) => Promise<void>
  readonly signal: AbortSignal
}
