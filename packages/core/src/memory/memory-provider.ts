import type { Environment } from '../agent/context.ts'
import type { Clock } from '../agent/clock.ts'
import type { Home } from '../config/home.ts'
import type { Logger } from '../log/logger.ts'
import type { TranscriptMessage } from '../models/transcript.ts'
import type { ToolSchema } from '../models/model.ts'
import type { MemoryTarget } from './memory-files.ts'

/**
 * A long-term memory outside `MEMORY.md` and `USER.md`. A profile has at most one (`memory.provider`); one kind is one
 * folder under `providers/` and one line in their registry. The methods that are not there are things that the provider
 * has no use for. Everything that waits takes a signal; failures are throws (`MemoryProviderError` where the person can
 * do something about it), and whoever calls logs them: they never break a turn.
 */
export interface MemoryProvider {
  readonly name: string
  /** Tools that it gives to the model, in the order in which they are shown. */
  readonly tools: readonly MemoryProviderTool[]
  /** A part of the system prompt: what this memory is and how it is used. The same text all session. */
  promptBlock?(): string
  /** What is known that bears on the message about to be sent; empty when nothing does. */
  recall?(query: string, signal: AbortSignal): Promise<string>
  /** A turn has ended: keep what was said. */
  keepTurn?(turn: FinishedTurn, signal: AbortSignal): Promise<void>
  /** The conversation is over or about to be summarised: take from it what should stay. */
  keepSession?(messages: readonly TranscriptMessage[], signal: AbortSignal): Promise<void>
  /** Messages are about to be replaced by a summary: what the summary should not lose. */
  beforeCompression?(messages: readonly TranscriptMessage[], signal: AbortSignal): Promise<string>
  /** A sub-agent has come back. */
  keepDelegation?(delegation: FinishedDelegation, signal: AbortSignal): Promise<void>
  /** `MEMORY.md` or `USER.md` has got an entry that was added or replaced. */
  keepNote?(note: WrittenNote, signal: AbortSignal): Promise<void>
  /** Sends what is still waiting and frees what is held; bounded by the caller. */
  close?(signal: AbortSignal): Promise<void>
}

export interface FinishedTurn {
  readonly sessionId: string
  readonly user: string
  readonly assistant: string
}

export interface FinishedDelegation {
  readonly task: string
  readonly result: string
  readonly childSessionId: string
}

export interface WrittenNote {
  readonly action: 'add' | 'replace'
  readonly target: MemoryTarget
  readonly content: string
}

/** A tool of a provider. `run` parses its own arguments and answers with one JSON object as text. */
export interface MemoryProviderTool extends ToolSchema {
  /** `parallel` where it only reads. */
  readonly concurrency: 'parallel' | 'exclusive'
  run(args: unknown, signal: AbortSignal): Promise<string>
}

/** What a session tells the provider that is opened for it. */
export interface MemoryProviderStart {
  readonly home: Home
  readonly environment: Environment
  readonly clock: Clock
  readonly log: Logger
  /** The provider's part of `config.yaml` (`honcho:` …), where it has one. */
  readonly settings: Readonly<Record<string, unknown>>
  readonly sessionId: string
  readonly parentSessionId?: string
  /** The face or platform: `cli`, `telegram` … */
  readonly platform: string
  /** What the agent is there for now; only `primary` keeps what was said. */
  readonly role: 'primary' | 'subagent' | 'cron' | 'flush'
  /** The profile's name. */
  readonly identity: string
  /** Folder that the session began in, absolute. */
  readonly workspace: string
  /** Who speaks, on platforms that know. */
  readonly userId?: string
}

/** A kind of provider, before one is opened. */
export interface MemoryProviderKind {
  readonly name: string
  /** One line for people. */
  readonly summary: string
  /**
   * Where its part of `config.yaml` is; under its name when absent. Fields without a variable are kept there where there
   * is no `saveSettings`.
   */
  readonly configPath?: readonly string[]
  /** What `hermes memory setup` asks. */
  readonly fields: readonly MemoryProviderField[]
  /** Whether it can be used as things are set, without asking any server: `true`, or what is missing and how to get it. */
  available(start: Pick<MemoryProviderStart, 'home' | 'environment' | 'settings'>): Promise<true | string>
  open(start: MemoryProviderStart): Promise<MemoryProvider>
  /** Writes the answers that are neither secrets nor variables to the provider's own file, in upstream's form. */
  saveSettings?(values: Readonly<Record<string, string>>, home: Home): Promise<void>
  /** Whether the service answers with what is set; throws what is wrong. Used by `hermes memory status`. */
  check?(start: MemoryProviderStart, signal: AbortSignal): Promise<string>
}

/** One setting of a provider. */
export interface MemoryProviderField {
  readonly key: string
  readonly description: string
  readonly isSecret?: boolean
  readonly isRequired?: boolean
  readonly default?: string
  readonly choices?: readonly string[]
  /** Where a key is got. */
  readonly url?: string
  /** Variable of `.env` that holds it; the provider's own file does where there is none. */
  readonly variable?: string
}
