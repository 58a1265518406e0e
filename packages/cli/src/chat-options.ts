import type { ReasoningEffort } from '@hermes/core/models/model.ts'

/** How a chat or a single task is to be run, whichever command line said so. */
export interface ChatOptions {
  /** The task of a one-shot run; the REPL starts when absent. */
  readonly task?: string
  /** One-shot output: the answer alone, upstream's quiet form (answer, blank line, `session_id: …`), or one JSON object. */
  readonly output: 'answer' | 'answer-and-session' | 'json'
  /** Leave out tool lines and notices. */
  readonly quiet: boolean
  readonly verbose: boolean
  /** Leave memory and context files out of the prompt. */
  readonly minimal: boolean
  readonly model?: string
  readonly provider?: string
  readonly toolsets?: readonly string[]
  /** Skills that the session begins with, by name. */
  readonly skills?: readonly string[]
  /** Id, id prefix or title of the session to go on with; `''` for the latest. */
  readonly resume?: string
  /** Directory that the agent works in, absolute. */
  readonly cwd: string
  /** A second directory that the task is about, absolute. */
  readonly sourceDir?: string
  /** Stored as the session's source. */
  readonly sessionSource: string
  readonly maxTurns?: number
  readonly reasoningEffort?: ReasoningEffort
  readonly yolo: boolean
  /** Take checkpoints, whatever the settings say. */
  readonly checkpoints: boolean
  readonly passSessionId: boolean
  readonly images: readonly string[]
}
