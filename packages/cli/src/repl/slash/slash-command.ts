import type { AgentContext } from '@hermes/core/agent/context.ts'
import type { SessionRef, TurnRequest } from '@hermes/core/agent/turn.ts'
import type { Usage } from '@hermes/core/models/model.ts'
import type { CallCost } from '@hermes/core/models/pricing.ts'
import type { View, ViewSettings } from '../view.ts'

/** A completion of an argument. */
export interface ArgumentChoice {
  readonly value: string
  readonly description?: string
}

/** A command typed into the REPL, as data: help and completion are made from it. */
export interface SlashCommand {
  readonly name: string
  readonly aliases?: readonly string[]
  /** Arguments as help shows them, e.g. `[name]`. */
  readonly args?: string
  readonly summary: string
  readonly category: 'Session' | 'Configuration' | 'Tools' | 'Info' | 'Exit'
  /** Whether it runs while a turn is going on; else it says to wait. */
  readonly duringTurn: boolean
  complete?(prefix: string, chat: Chat): Promise<readonly ArgumentChoice[]>
  run(args: string, chat: Chat): Promise<void>
}

/** What the person has chosen for the turns to come. */
export interface ChatSettings {
  /** `provider/model` or a bare name; the configured model when undefined. */
  model: string | undefined
  /** Toolset names; the face's defaults when undefined. */
  toolsets: readonly string[] | undefined
  /** Added to the system prompt of each call (a personality); `agent.system_prompt` when undefined. */
  instructions: string | undefined
  yolo: boolean
}

/** What turns have used since the REPL was started. */
export interface ChatUsage {
  turns: number
  modelCalls: number
  usage: Usage
  /** `provider/model` of the last turn. */
  model: string | undefined
  context: { readonly tokens: number; readonly length: number } | undefined
  /** The turn that is running, else the last one. */
  turn: { readonly usage: Usage; readonly costs: readonly CallCost[] } | undefined
}

/** The conversation, as a slash command may look at it and change it. */
export interface Chat {
  readonly agent: AgentContext
  readonly view: View
  readonly cwd: string
  readonly signal: AbortSignal
  readonly commands: readonly SlashCommand[]
  readonly session: SessionRef
  readonly settings: ChatSettings
  readonly usage: Readonly<ChatUsage>
  /** How the next message will be asked. */
  readonly nextTurn: Omit<TurnRequest, 'message'>
  readonly isBusy: boolean
  /** Messages that wait for the turn to end. */
  readonly waiting: readonly string[]
  viewSettings: ViewSettings
  /** A title to give to the session once its first message has made it. */
  pendingTitle: string | undefined
  /**
   * Sends a message as the next turn, after what waits already. Its first `typedLength` characters are the person's own
   * words, whose @-references are expanded; none when absent.
   */
  enqueue(text: string, typedLength?: number): void
  /** Ends the session (if it has messages) for `endReason` and goes on in a new one. */
  startNew(endReason: string): Promise<void>
  /** Ends the session (if it has messages) and goes on with a stored one. */
  switchTo(session: SessionRef): Promise<void>
  /** Goes on in a session that continues this one, which the caller has ended. */
  goOnAs(session: SessionRef): void
  /** Does work that is shown, and can be stopped, as a turn is. */
  whileBusy(work: (signal: AbortSignal) => Promise<void>): Promise<void>
  /** Leaves the REPL. */
  quit(): void
}
