/** One image given to the model with a user's message. */
export interface ImagePart {
  /** e.g. `image/png`. */
  readonly mediaType: string
  /** The picture's bytes, base64. */
  readonly data: string
}

/** A call the model asked for. */
export interface ToolCall {
  /** Unique within its session; pairs the call with its result. */
  readonly id: string
  readonly name: string
  /** The arguments as the model wrote them: JSON text, possibly invalid. */
  readonly arguments: string
  /** What a provider wants back with the call, e.g. a thought signature (upstream's `extra_content`). */
  readonly extra?: Readonly<Record<string, unknown>>
}

export interface SystemMessage {
  readonly role: 'system'
  readonly content: string
}

export interface UserMessage {
  readonly role: 'user'
  readonly content: string
  /** Sent to the model in this turn; the store keeps the text alone. */
  readonly images?: readonly ImagePart[]
}

export interface AssistantMessage {
  readonly role: 'assistant'
  readonly content: string
  readonly toolCalls: readonly ToolCall[]
  /** The model's visible reasoning text. */
  readonly reasoning?: string
  /** Opaque reasoning items of the provider, carried back unchanged where it wants them (JSON). */
  readonly reasoningDetails?: unknown
  /** Opaque encrypted reasoning items of the Responses wire (JSON). */
  readonly codexReasoningItems?: unknown
  /** Why the model stopped, in the OpenAI wire's words: `stop`, `length`, `tool_calls`, `content_filter`. */
  readonly finishReason?: string
}

export interface ToolMessage {
  readonly role: 'tool'
  readonly toolCallId: string
  readonly toolName: string
  readonly content: string
}

/** One message as it is stored and as every provider translates it to its wire. Survives JSON. */
export type TranscriptMessage = SystemMessage | UserMessage | AssistantMessage | ToolMessage
