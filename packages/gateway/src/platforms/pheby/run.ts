import type { PhebyOf, PhebyEvent } from '@hermes/protocol/pheby/types.ts'
import type { Draft } from './draft.ts'

export type ToolEvent = PhebyOf<PhebyEvent, 'tool.event'>
export type RunStatus = PhebyOf<PhebyEvent, 'run.finished'>['status']

/** One turn of the agent, as clients see it: `accepted → start → delta* → complete → finished`. */
export interface Run {
  readonly runId: string
  /** The event of the message that it answers. */
  readonly eventId: string
  readonly conversationId: string
  /** Id of its draft. */
  readonly messageId: string
  /** What the person wrote; undefined where nobody asked. */
  readonly text: string | undefined
  /** Ms since 1970. */
  readonly startedAt: number
  /** Of the `chat.send` that began it. */
  readonly requestId: string | undefined
  /** Clients know of it. */
  isAccepted: boolean
  /** Its turn runs, or has run. */
  hasBegun: boolean
  /** Its message was a slash command: what is said to it is a notice. */
  isCommand: boolean
  /** The answer while it grows. */
  readonly draft: Draft
  /** What the draft gave way to. */
  final: string | undefined
  /** The latest event of each call. */
  readonly tools: Map<string, ToolEvent>
  /** Parts of the answer that came, and how many there are to be once that is known. */
  delivered: number
  expected: number | undefined
  outcome: RunOutcome | undefined
  cancelling: Cancelling | undefined
  isOver: boolean
}

export interface RunOutcome {
  readonly status: RunStatus
  /** Why it did not complete, for people. */
  readonly notice?: string
}

/** A client wants it to stop. */
export interface Cancelling {
  readonly requestId: string | undefined
  /** It has stopped, or it ended otherwise before. */
  settle(isCancelled: boolean): void
}

/** The part of a draft's id that is the run's. */
export const draftMark = 'draft-'

/** What an event was named for before a command made a message of it. */
export function baseEvent(eventId: string): string {
  return eventId.replace(/(?:\/ask)+$/, '')
}
