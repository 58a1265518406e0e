import type { DecisionAnswer, DecisionRequest } from '@hermes/core/agent/decision.ts'
import type { NumberedEvent } from '@hermes/core/agent/events.ts'
import type { PairingRequest } from '../access/pairing-store.ts'
import type { ChatServices } from '../commands/command.ts'
import type { InboundMessage, MessageSource } from '../messages/inbound-message.ts'
import type { ChatRef, SentRef } from '../messages/outbound-message.ts'
import type { Outlook } from '../store/outlook.ts'
import type { PlatformHost } from './platform.ts'

/** What a face that shows conversations, settings and questions itself is given. */
export interface FaceHost extends PlatformHost {
  /** As `receive`; resolves to what became of the message. */
  submit(message: InboundMessage): Promise<Reception>
  /** For services that let nobody in before it is known who they are. */
  readonly access: PlatformAccess
  readonly chats: ChatServices
  /** The conversation that what comes from there belongs to. */
  sessionKey(source: MessageSource): string
  /** How it stands with an event that was submitted before a restart. */
  outlook(source: MessageSource, eventId: string): Promise<Outlook>
}

/**
 * What became of a message. `queued`: a turn answers it. `command`: it was one, and is answered or being done.
 * `answered`: it answers a question of a running turn. `duplicate`: it is known already. `refused`: not from somebody who
 * may speak to the agent.
 */
export type Reception = 'queued' | 'command' | 'answered' | 'duplicate' | 'refused'

export interface PlatformAccess {
  isAuthorised(source: MessageSource): Promise<boolean>
  /** A code for a stranger, which the owner approves by `hermes pairing`. */
  requestCode(userId: string, userName: string): Promise<PairingRequest>
}

/** A face with a protocol of its own for what happens in a turn, such as a phone's. */
export interface TurnFace {
  /** A turn begins. Its answer comes by `Connection.send`, or by `editing.edit` where `end` names a message for it. */
  begin(turn: FaceTurn): TurnFollower
  /** Shows a question; rejects where nobody can see it. An answer goes to `host.chats.decisions.answer`. */
  ask(question: FaceQuestion, signal: AbortSignal): Promise<void>
  /** A question is over; without an answer its turn was stopped. */
  asked(question: FaceQuestion, answer: DecisionAnswer | undefined): void
}

export interface FaceTurn {
  readonly chat: ChatRef
  readonly sessionKey: string
  readonly sessionId: string
  /** The event of the message that it answers. */
  readonly eventId: string
  /** It was begun before, perhaps by another process, and something of it may have been shown. */
  readonly isResumed: boolean
}

/** Is told what happens in a turn. */
export interface TurnFollower {
  onEvent(event: NumberedEvent): void
  /**
   * Nothing more happens in it. Resolves to the message that its answer belongs into, where there is one.
   * `isCut`: it was cut short.
   */
  end(how: { readonly isCut: boolean }): Promise<SentRef | undefined>
  /** Its outcome is in durable storage; what is said goes out from now on. */
  settled(outcome: TurnSettlement): void
}

export interface TurnSettlement {
  /** `interrupted`: a person stopped it. `suspended`: the gateway stops, and it goes on after the next start. */
  readonly status: 'completed' | 'failed' | 'interrupted' | 'suspended'
  /** Texts and files that go out. */
  readonly texts: number
  readonly files: number
  /** Why it did not complete, for people. */
  readonly notice?: string
}

export interface FaceQuestion {
  /** Unique while the process lives. */
  readonly id: string
  readonly request: DecisionRequest
  readonly chat: ChatRef
  readonly sessionKey: string
  /** How long it waits for its answer, ms. */
  readonly timeoutMs: number
}
