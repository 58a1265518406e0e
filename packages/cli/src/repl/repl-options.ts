import type { Terminal } from '@earendil-works/pi-tui/dist/terminal.js'
import type { AgentContext } from '@hermes/core/agent/context.ts'
import type { NumberedEvent } from '@hermes/core/agent/events.ts'
import type { SessionRef, TurnRequest } from '@hermes/core/agent/turn.ts'
import type { Home } from '@hermes/core/config/home.ts'
import type { Cli } from '../command.ts'

/** What every turn of this run is asked with, from the command line. */
export type TurnDefaults = Pick<
  TurnRequest,
  'model' | 'toolsets' | 'reasoningEffort' | 'instructions' | 'minimalPrompt' | 'maxIterations'
> & {
  /** Further facts about the face, for the turn's `face`. */
  readonly face?: Omit<TurnRequest['face'], 'name' | 'decide'>
}

/** What the REPL is started with. Nothing in it is loaded or opened before the first prompt is on the screen. */
export interface ReplOptions {
  readonly cli: Cli
  readonly home: Home
  readonly version: string
  /** Directory that the agent works in. */
  readonly cwd: string
  /** Called once, after the first prompt is shown. Its context is the REPL's to close at the end. */
  readonly openAgent: () => Promise<AgentContext>
  /** The session to begin with. `isResumed`: it has been there before. */
  readonly openSession: (agent: AgentContext) => Promise<{ readonly ref: SessionRef; readonly isResumed: boolean }>
  readonly runTurn: (turn: TurnRequest, agent: AgentContext, signal: AbortSignal) => AsyncGenerator<NumberedEvent>
  readonly turn: TurnDefaults
  /** Sent at once, as if typed. */
  readonly firstMessage?: TurnRequest['message']
  /** Consent given in advance for everything. */
  readonly yolo: boolean
  /** Show tool calls with their output, or not at all; as configured when absent. */
  readonly toolProgress?: 'verbose' | 'off'
  /** Where the REPL is drawn, in place of the process's own terminal. */
  readonly terminal?: Terminal
}
