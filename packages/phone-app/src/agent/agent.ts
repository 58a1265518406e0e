import type { ChatState } from './chat-item.ts'

/** A provider with its models, for a list. */
export interface ModelGroup {
  readonly provider: string
  readonly label: string
  readonly models: readonly string[]
}

export interface ModelChoice {
  readonly groups: readonly ModelGroup[]
  readonly provider: string
  readonly model: string
}

export interface ReasoningChoice {
  readonly efforts: readonly string[]
  /** Empty: as the model does. */
  readonly effort: string
}

/**
 * An agent behind one of the protocols, as the page needs it. What a protocol cannot do is absent. Methods reject with an
 * error for people.
 */
export interface PhoneAgent {
  readonly state: ChatState
  /** Calls `listener` after each change. Returns what takes it away. */
  onChange(listener: () => void): () => void
  /** Rejects with a `Refusal` where the gateway does not let it in. */
  connect(): Promise<void>
  close(): Promise<void>
  /** Removes what it has kept on the phone. */
  forget(): void
  send(text: string): Promise<void>
  /** Answers a card with one of its options, a text, or both. */
  answer(cardId: string, answer: { readonly optionId?: string; readonly text?: string }): Promise<void>
  /** Stops what runs. */
  stop?(): Promise<void>
  sendFile?(file: File, caption: string): Promise<void>
  /** A recording as a WAV file. */
  sendVoice?(wav: Uint8Array): Promise<void>
  typing?(): void
  readonly conversations?: {
    open(id: string): Promise<void>
    create(): Promise<void>
    rename(id: string, name: string): Promise<void>
    remove(id: string): Promise<void>
  }
  readonly models?: {
    list(): Promise<ModelChoice>
    choose(provider: string, model: string): Promise<void>
  }
  readonly reasoning?: {
    read(): Promise<ReasoningChoice>
    choose(effort: string): Promise<void>
  }
}
