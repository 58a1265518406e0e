import type { ReasoningEffort, ResolvedModel } from '../models/model.ts'
import type { ImagePart } from '../models/transcript.ts'
import type { Decide } from './decision.ts'

/** Which session a turn belongs to. A session that is not in the store yet is made by its first turn. */
export interface SessionRef {
  readonly id: string
  /** Stored when the session is made: `cli`, a platform's name … */
  readonly source: string
  readonly parentId?: string
  readonly userId?: string
  /** The caller knows that it is not in the store, so that it is not looked for. */
  readonly isNew?: boolean
}

/** The face that asks. */
export interface FaceInfo {
  /** e.g. `cli`; picks the default toolsets and the prompt hint. */
  readonly name: string
  /** How to write for this face, for the system prompt: one or two sentences. */
  readonly promptHint?: string
  /** Asks the person at this face; `nobody` where there is none. */
  readonly decide: Decide
  /** False: `SOUL.md` and the notes of projects stay out of the prompt (a job that nobody watches). Default true. */
  readonly contextFiles?: boolean
  /** The chat that it serves, where it is a platform: a job that is made there answers there. */
  readonly chat?: ChatOrigin
  /** What the agent is told of the place that it serves, where there is something to know: last in the system prompt. */
  readonly place?: string
  /** Tell the model the id of its session. */
  readonly passSessionId?: boolean
  /** What this face's voice messages are made of, where it has any: Opus in an Ogg file. */
  readonly voiceFormat?: 'opus'
  /** The process goes on after the turn, so that there is time to find a title. */
  readonly isLasting?: boolean
}

/** A chat on a platform. */
export interface ChatOrigin {
  readonly platform: string
  readonly chatId: string
  readonly chatName?: string
  readonly threadId?: string
}

/** One request of a person (or program) to the agent. */
export interface TurnRequest {
  readonly session: SessionRef
  readonly message: {
    readonly text: string
    /** So much of the text's beginning did a person write: @-references are expanded there and nowhere else. Default 0. */
    readonly typedLength?: number
    readonly images?: readonly ImagePart[]
  }
  readonly face: FaceInfo
  /** `provider/model`, or a bare name; the configured model when absent. */
  readonly model?: string
  /** The model itself, where the caller has found it; goes before `model`. */
  readonly resolvedModel?: ResolvedModel
  /** Toolset names; the face's defaults when absent. */
  readonly toolsets?: readonly string[]
  /** Of these toolsets' tools no others than these. */
  readonly onlyTools?: readonly string[]
  readonly reasoningEffort?: ReasoningEffort
  /** Added to the system prompt of this turn's calls, never stored; `agent.system_prompt` when absent. */
  readonly instructions?: string
  /** Leave memory and context files out of the system prompt (decided by the session's first turn). */
  readonly minimalPrompt?: boolean
  /** Most model calls of this turn; `agent.max_turns` when absent. */
  readonly maxIterations?: number
  /** What the person has said to the running turn since it was last asked: the model gets it with its next call. */
  readonly takeSteering?: () => readonly string[]
}

/** The turn that a tool runs in, for tools that ask a model or begin turns of their own. */
export interface RunningTurn {
  readonly request: TurnRequest
  /** The one that answers now. */
  readonly model: ResolvedModel
}
