import type { Config } from '../config/schema.ts'
import type { Logger } from '../log/logger.ts'
import type { ResolvedModel, Usage } from '../models/model.ts'
import type { TranscriptMessage } from '../models/transcript.ts'
import type { TodoItem } from '../tools/todo-item.ts'
import type { ContextMeter } from './context-meter.ts'

/** Decides what of a long conversation stays in the model's context. */
export interface ContextEngine {
  /** What `context.engine` calls it. */
  readonly name: string
  /**
   * A shorter history that says the same, or undefined where it can get no shorter. Calls keep their results, and the
   * person's last message stays as it is. A model that fails is no failure; when `signal` aborts, throws its reason.
   */
  compact(request: CompactionRequest, signal: AbortSignal): Promise<CompactedHistory | undefined>
}

/** How full the context is. */
export interface ContextFacts {
  /** The next request: system prompt, tools and history. */
  readonly tokens: number
  /** Of them, what every request has: system prompt and tools. */
  readonly fixedTokens: number
  /** Where compaction is to begin. */
  readonly thresholdTokens: number
  /** The model's window. */
  readonly contextLength: number
}

export interface CompactionRequest extends ContextFacts {
  readonly sessionId: string
  /** As stored: results may stand apart from their calls, or be missing. Without the system prompt. */
  readonly history: readonly TranscriptMessage[]
  /** Most tokens that the next request should have. */
  readonly targetTokens: number
  readonly meter: ContextMeter
  readonly settings: Config['compression']
  /** What the person wants to be kept above all. */
  readonly focus: string | undefined
  /** What the long-term memory says that a summary should not lose: text that is not trusted, often empty. */
  readonly keep: string
  /** The agent's task list, which must not be lost. */
  readonly todos: readonly TodoItem[]
  readonly summariser: Summariser
  readonly log: Logger
}

/** The models that may write a summary. */
export interface Summariser {
  /** In the order to be tried; found out when first asked for. Empty: none may be asked now. */
  models(signal: AbortSignal): Promise<readonly ResolvedModel[]>
  /** Time for a call; a summary may take several. */
  readonly timeoutMs: number
}

export interface CompactedHistory {
  readonly messages: readonly TranscriptMessage[]
  /** `pruned`: old tool output was cleared, nothing else. `summary`: by a model. `extract`: picked out without one. */
  readonly method: 'pruned' | 'summary' | 'extract'
  /** Why no model has written the summary, for people. */
  readonly problem?: SummaryProblem
  /** What the calls of models took. */
  readonly spent: readonly ModelSpending[]
}

export interface SummaryProblem {
  readonly code: 'failed' | 'timeout' | 'empty' | 'too-long' | 'refused'
  readonly message: string
}

export interface ModelSpending {
  readonly model: ResolvedModel
  readonly usage: Usage
}
