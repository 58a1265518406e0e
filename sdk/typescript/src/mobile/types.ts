import type { MobileCapabilities } from '@hermes/protocol/mobile/types.ts'

/** What a client is, for pairing, the allowlist and what waits for it. */
export interface Device {
  /** Stays the same for this device. */
  readonly id: string
  readonly name?: string
  readonly platform?: string
  readonly appVersion?: string
}

/** The person; `tz` is a time zone as in `Europe/Vienna`. */
export interface User {
  readonly id?: string
  readonly name?: string
  readonly locale?: string
  readonly tz?: string
}

/** The server has let the client in. */
export interface Ready {
  readonly v: number
  /** The conversation of this device, the same after every reconnect. */
  readonly session: string
  readonly device: Readonly<Record<string, unknown>>
  /** A page for a WebView; empty where there is none. */
  readonly avatarUrl: string
  readonly capabilities: MobileCapabilities
}

/** A piece of a reply, or a new text for one that is shown. */
export interface AgentMessage {
  readonly id: string
  readonly text: string
  /** Number of the piece, from 0, and how many there are. */
  readonly index: number
  readonly total: number
  /** The reply ends here. */
  readonly final: boolean
  /** Replaces what is shown under this id. */
  readonly edit: boolean
}

export type PromptKind = 'exec_approval' | 'slash_confirm' | 'clarify'

export interface PromptOption {
  readonly id: string
  readonly label: string
  /** `primary`, `default` or `danger`. */
  readonly style: string
}

/** A card: the agent waits for an answer. */
export interface Prompt {
  readonly id: string
  readonly kind: PromptKind
  readonly text: string
  readonly options: readonly PromptOption[]
  readonly session: string
  readonly timeoutSeconds: number
}

/** A card is closed. */
export interface PromptDone {
  readonly id: string
  /** What was applied. */
  readonly optionId: string | undefined
  /** Nobody answered in time. */
  readonly expired: boolean
}

/** What the agent sends a file as. */
export type MediaKind = 'image' | 'video' | 'document' | 'audio' | 'voice' | 'animation'

/** What can be sent to the agent. */
export type InboundMediaKind = 'image' | 'video' | 'document' | 'audio'

/** A whole file of the agent. */
export interface MediaMessage {
  readonly id: string
  readonly kind: MediaKind
  readonly data: Uint8Array
  readonly mime: string
  readonly filename: string
  readonly caption: string
  /** Bytes. */
  readonly size: number
  /** Where it can be fetched too; empty where it cannot. */
  readonly url: string
  /** The message that it answers; empty where there is none. */
  readonly replyTo: string
}

/** Bytes, a file of the browser, a path (in Node), or base64. */
export type Payload = Uint8Array | ArrayBuffer | Blob | string

export interface MediaOptions {
  readonly mime?: string
  readonly filename?: string
  readonly caption?: string
  readonly messageId?: string
  /** Bytes of a part before base64. */
  readonly chunkBytes?: number
}
