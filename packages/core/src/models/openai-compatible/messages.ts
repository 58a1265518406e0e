import type { AssistantMessage, ToolCall, TranscriptMessage, UserMessage } from '../transcript.ts'
import type { Dialect } from './dialect.ts'

/** A message of the chat wire, as far as we write it. */
export interface ChatMessage {
  readonly role: 'system' | 'developer' | 'user' | 'assistant' | 'tool'
  readonly content: string | null | readonly ContentPart[]
  readonly [field: string]: unknown
}

export interface ContentPart {
  readonly type: string
  readonly [field: string]: unknown
}

/** What a server refused once, and is therefore left out of a second try. */
export interface Leniency {
  /** Arguments that are no JSON object are wrapped into one. */
  readonly wrapBrokenArguments?: boolean
  /** Earlier reasoning is not sent back. */
  readonly dropReasoning?: boolean
}

/** A transcript as chat messages. The text of arguments passes byte for byte, also where it is no JSON. */
export function toChatMessages(
  messages: readonly TranscriptMessage[],
  model: string,
  dialect: Dialect,
  leniency: Leniency = {},
): ChatMessage[] {
  const { betweenResultAndUser: between, callId = same } = dialect
  return messages.flatMap((message, at): ChatMessage[] => {
    if (message.role === 'user') {
      const user: ChatMessage = { role: 'user', content: userContent(message) }
      const isAfterResult = between !== undefined && messages[at - 1]?.role === 'tool'
      return isAfterResult ? [{ role: 'assistant', content: between }, user] : [user]
    }
    if (message.role === 'assistant') return [assistantMessage(message, model, dialect, leniency)]
    if (message.role === 'tool') {
      return [{ role: 'tool', tool_call_id: callId(message.toolCallId), content: message.content }]
    }
    return [{ role: dialect.developerRole?.(model) ? 'developer' : 'system', content: message.content }]
  })
}

function same(id: string): string {
  return id
}

function userContent({ content, images = [] }: UserMessage): string | readonly ContentPart[] {
  if (images.length === 0) return content
  const pictures = images.map(({ mediaType, data }) => ({
    type: 'image_url',
    image_url: { url: `data:${mediaType};base64,${data}` },
  }))
  return content === '' ? pictures : [{ type: 'text', text: content }, ...pictures]
}

function assistantMessage(message: AssistantMessage, model: string, dialect: Dialect, leniency: Leniency): ChatMessage {
  const { content, toolCalls } = message
  return {
    role: 'assistant',
    // The API wants null, and some chat templates print an empty string as an empty answer.
    content: content === '' && toolCalls.length > 0 ? null : content,
    ...(leniency.dropReasoning ? {} : reasoningFields(message, model, dialect)),
    ...(toolCalls.length > 0 && { tool_calls: toolCalls.map((call) => chatToolCall(call, model, dialect, leniency)) }),
  }
}

function reasoningFields(
  { reasoning, reasoningDetails }: AssistantMessage,
  model: string,
  dialect: Dialect,
): Readonly<Record<string, unknown>> {
  const replay = dialect.replay(model)
  if (replay === 'details') {
    if (Array.isArray(reasoningDetails) && reasoningDetails.length > 0) return { reasoning_details: reasoningDetails }
    return reasoning ? { reasoning } : {}
  }
  return replay === 'content' && reasoning ? { reasoning_content: reasoning } : {}
}

function chatToolCall(
  call: ToolCall,
  model: string,
  dialect: Dialect,
  leniency: Leniency,
): Readonly<Record<string, unknown>> {
  const extra = dialect.callExtra ? dialect.callExtra(call, model) : call.extra
  return {
    id: dialect.callId?.(call.id) ?? call.id,
    type: 'function',
    function: { name: call.name, arguments: sendableArguments(call.arguments, leniency) },
    ...(extra && !dialect.strictFields && { extra_content: extra }),
  }
}

/** Blank stands for "no arguments", which every server takes as an empty object. */
function sendableArguments(text: string, { wrapBrokenArguments }: Leniency): string {
  if (text.trim() === '') return '{}'
  return wrapBrokenArguments && !isJsonObject(text) ? JSON.stringify({ not_valid_json: text }) : text
}

/** Whether any call in a transcript has arguments that servers refuse which read them for a chat template. */
export function hasBrokenArguments(messages: readonly TranscriptMessage[]): boolean {
  return messages.some(
    (message) =>
      message.role === 'assistant' &&
      message.toolCalls.some((call) => call.arguments.trim() !== '' && !isJsonObject(call.arguments)),
  )
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
