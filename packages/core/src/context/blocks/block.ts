import type { AgentContext } from '../../agent/context.ts'
import type { SessionScope } from '../../agent/session-scope.ts'
import type { TurnRequest } from '../../agent/turn.ts'
import type { ResolvedModel } from '../../models/model.ts'
import type { ToolHandle } from '../../tools/tool-source.ts'

/** What the system prompt is made of. */
export interface PromptSources {
  readonly context: AgentContext
  /** The session that gets the prompt: after a compaction another one than the turn was asked in. */
  readonly sessionId: string
  readonly request: Pick<TurnRequest, 'face' | 'minimalPrompt'>
  readonly tools: ReadonlyMap<string, ToolHandle>
  readonly model: ResolvedModel
  readonly scope: SessionScope
}

/** Something about the prompt that its person should know. */
export interface PromptNotice {
  readonly level: 'info' | 'warning'
  readonly code: string
  readonly message: string
}

/** A part of the system prompt. */
export interface PromptBlock {
  readonly name: string
  /** What it is, for people: a few words. */
  readonly about: string
  /** Its text; nothing or blank when it has nothing to say. What was left out of it goes to `tell`. */
  build(sources: PromptSources, tell: (notice: PromptNotice) => void): BlockText | Promise<BlockText>
}

export type BlockText = string | undefined

/** One part of a prompt that was built. */
export interface BuiltBlock {
  readonly name: string
  readonly about: string
  readonly text: string
}
