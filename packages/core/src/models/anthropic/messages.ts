import type { AssistantMessage, ToolMessage, TranscriptMessage, UserMessage } from '../transcript.ts'
import { thinkingBlocks } from './thinking-blocks.ts'

/** A content block of the Messages API, as far as we write it. */
export interface Block {
  readonly type: string
  readonly [field: string]: unknown
}

export interface WireMessage {
  readonly role: 'user' | 'assistant'
  readonly content: readonly Block[]
}

/**
 * A transcript as messages of https://docs.anthropic.com/en/api/messages, the system message left out: results of tools
 * stand in the user's message that follows their calls, and roles alternate.
 */
export function toMessages(messages: readonly TranscriptMessage[], keepThinking: boolean): WireMessage[] {
  const wire: { role: 'user' | 'assistant'; content: Block[] }[] = []
  const add = (role: 'user' | 'assistant', blocks: readonly Block[]) => {
    if (blocks.length === 0) return
    const last = wire.at(-1)
    if (last?.role === role) last.content.push(...blocks)
    else wire.push({ role, content: [...blocks] })
  }
  for (const message of messages) {
    if (message.role === 'user') add('user', userBlocks(message))
    else if (message.role === 'assistant') add('assistant', assistantBlocks(message, keepThinking))
    else if (message.role === 'tool') add('user', [resultBlock(message)])
  }
  return wire
}

function userBlocks({ content, images = [] }: UserMessage): Block[] {
  const pictures = images.map(({ mediaType, data }): Block => ({
    type: 'image',
    source: { type: 'base64', media_type: mediaType, data },
  }))
  // The API refuses texts of white space alone.
  return content.trim() === ''
    ? [...pictures, ...(pictures.length > 0 ? [] : [textBlock('(empty message)')])]
    : [...pictures, textBlock(content)]
}

function assistantBlocks(message: AssistantMessage, keepThinking: boolean): Block[] {
  const { content, toolCalls } = message
  const calls = toolCalls.map((call): Block => ({
    type: 'tool_use',
    id: wireId(call.id),
    name: call.name,
    input: inputOf(call.arguments),
  }))
  return [
    ...(keepThinking ? thinkingBlocks(message) : []),
    ...(content.trim() === '' ? [] : [textBlock(content)]),
    ...calls,
  ]
}

function resultBlock({ toolCallId, content }: ToolMessage): Block {
  return { type: 'tool_result', tool_use_id: wireId(toolCallId), content: content === '' ? '(no output)' : content }
}

function textBlock(text: string): Block {
  return { type: 'text', text }
}

/** The API takes ids of letters, digits, `_` and `-` alone; other servers' ids are spelled with those. */
function wireId(id: string): string {
  return /^[\w-]+$/.test(id)
    ? id
    : id.replaceAll(/[^\w-]/g, (character) => `_${character.codePointAt(0)?.toString(16)}_`)
}

/** Arguments must be an object; text that is none is shown to the model as what it wrote. */
function inputOf(text: string): Readonly<Record<string, unknown>> {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {
    return { not_valid_json: text }
  }
  return { not_valid_json: text }
}
