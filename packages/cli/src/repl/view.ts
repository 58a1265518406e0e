import type { Decide } from '@hermes/core/agent/decision.ts'
import type { TurnEvent } from '@hermes/core/agent/events.ts'

/** How a printed text is meant. */
export type Tone = 'plain' | 'dim' | 'ok' | 'warning' | 'error'

/** Which tool calls are shown: none, one of a run of the same kind, all, all with their output. */
export type ToolProgress = 'off' | 'new' | 'all' | 'verbose'

/** What of a turn is shown, and how. */
export interface ViewSettings {
  readonly toolProgress: ToolProgress
  readonly showReasoning: boolean
  /** Answers appear as they come. */
  readonly streaming: boolean
  /** No empty lines between the parts. */
  readonly compact: boolean
  readonly bell: boolean
  /** Show what changed in files. */
  readonly inlineDiffs: boolean
  /** Longest preview of a tool call, characters; 0: as long as the line has room. */
  readonly previewLength: number
}

export const defaultViewSettings: ViewSettings = {
  toolProgress: 'all',
  showReasoning: false,
  streaming: true,
  compact: false,
  bell: false,
  inlineDiffs: true,
  previewLength: 0,
}

/**
 * What the person at the terminal sees and answers with. The conversation is led without knowing how it is drawn. A
 * view cleans what it is given: texts may hold anything.
 */
export interface View {
  /** Asks the person. */
  readonly decide: Decide
  configure(settings: ViewSettings): void
  print(text: string, tone?: Tone): void
  /** A message of the person: the one that is sent now, or one of an earlier turn. */
  showMessage(text: string, when: 'now' | 'earlier'): void
  /** A whole answer, in Markdown. */
  showAnswer(markdown: string): void
  /** A tool call of an earlier turn. */
  showToolCall(name: string, preview: string): void
  showEvent(event: TurnEvent): void
  /** Messages that wait for the turn to end, oldest first. */
  showWaiting(messages: readonly string[]): void
  /** A turn is about to start, or has ended. */
  setBusy(busy: boolean): void
  /** Empties the screen. */
  clear(): void
}
