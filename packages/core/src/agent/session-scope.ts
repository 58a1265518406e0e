import type { SessionCheckpoints } from '../checkpoints/session-checkpoints.ts'
import type { ContextState } from '../context/context-state.ts'
import type { SessionBrowser } from '../browser/session-browser.ts'
import type { CommandAllowlist } from '../security/commands/allowlist.ts'
import type { ProcessRegistry } from '../terminals/processes.ts'
import type { Terminal } from '../terminals/terminal.ts'
import type { FileReads } from '../tools/file-reads.ts'
import type { TodoItem } from '../tools/todo-item.ts'
import type { WebSession } from '../web/web-session.ts'
import type { LearningState } from './learning.ts'

/** What one session keeps in memory between its tool calls and turns. */
export interface SessionScope {
  readonly sessionId: string
  /** 0 for a person's session, 1 for a sub-agent's, and so on. */
  readonly depth: number
  /** The session's terminal, opened at first use; it keeps its directory and variables from turn to turn. */
  terminal(): Promise<Terminal>
  /** Where relative paths start: the terminal's directory once it is open. */
  cwd(): string
  /** The folder that the session began in: @-references and notes of projects are looked for below it alone. */
  workspace(): string
  /** Folders whose notes for agents the model has, links followed. */
  readonly knownFolders: Set<string>
  /** Commands going on in the background. */
  readonly processes: ProcessRegistry
  /** The agent's task list. */
  todos: readonly TodoItem[]
  /** What was read of which file, to notice changes made by others. */
  readonly fileReads: FileReads
  /** Checkpoints taken in the running turn. */
  readonly checkpoints: SessionCheckpoints
  /** Approval keys granted for this session. */
  readonly approved: Set<string>
  /** Kinds of dangerous commands that are allowed for good. */
  readonly allowlist: CommandAllowlist
  /** How full the model's context is, and what compaction has come to. */
  readonly contextState: ContextState
  /** What the session has learnt since it was last looked through for what should stay. */
  readonly learning: LearningState
  /** What it and its sub-agents know of the web; theirs is the same object. */
  readonly web: { session?: WebSession }
  /** The session's browser; nothing runs before a tool uses it. */
  readonly browser: SessionBrowser
  /** The password for `sudo`, once the person has typed it. */
  sudoPassword: string | undefined
  /** Consent given in advance for everything (`/yolo`). */
  yolo: boolean
  /** Whether a turn of this session runs now; a session runs one at a time. */
  turnRunning: boolean
  /** Number of the last event; goes on where a compaction moves the conversation to another session. */
  eventSeq: number
  /** Runs what nobody waits for, one of a name at a time. Its signal aborts when the scope closes; a failure is logged. */
  background(name: string, work: (signal: AbortSignal) => Promise<void>): void
  /** What is to be done when the scope closes; a failure is logged. The work bounds its own time. */
  onClose(work: () => Promise<void>): void
  /** Ends the terminal, all background processes and what runs in the background. */
  [Symbol.asyncDispose](): Promise<void>
}

/** The scopes of a profile: one a session, made when first asked for; the least recently used idle ones are closed. */
export interface SessionScopes {
  get(sessionId: string): SessionScope
  /** The scope of a sub-agent's session: it begins in its parent's folder and shares what its parent was allowed. */
  child(sessionId: string, parent: SessionScope): SessionScope
  /** A conversation goes on as another session (compaction): its scope is that session's from now on. */
  move(from: string, to: string): Promise<SessionScope>
  /** Closes one session's scope, if it is open. */
  close(sessionId: string): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}
