import type { AssistantMessage, ToolMessage, TranscriptMessage, UserMessage } from '../transcript.ts'
import { alternating, emptyMessage, emptyResult } from '../wire/alternating.ts'
import type { BlockMessage } from '../wire/alternating.ts'
import { inputOf, plainId } from '../wire/call-parts.ts'
import { thinkingBlocks } from './thinking-blocks.ts'

/** A content block of the Messages API, as far as we write it. */
export interface Block {
  readonly type: string
  readonly [field: string]: unknown
}

/** A transcript as messages of https://docs.anthropic.com/en/api/messages. */
export function toMessages(messages: readonly TranscriptMessage[], keepThinking: boolean): BlockMessage<Block>[] {
  return alternating<Block>(messages, {
    user: userBlocks,
    assistant: (message) => assistantBlocks(message, keepThinking),
    result: resultBlock,
  })
}

function userBlocks({ content, images = [] }: UserMessage): Block[] {
  const pictures = images.map(({ mediaType, data }): Block => ({
    type: 'image',
    source: { type: 'base64', media_type: mediaType, data },
  }))
  if (content.trim() !== '') return [...pictures, textBlock(content)]
  return pictures.length > 0 ? pictures : [textBlock(emptyMessage)]
}

function assistantBlocks(message: AssistantMessage, keepThinking: boolean): Block[] {
  const { content, toolCalls } = message
  const calls = toolCalls.map((call): Block => ({
    type: 'tool_use',
    id: plainId(call.id),
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
  return { type: 'tool_result', tool_use_id: plainId(toolCallId), content: content === '' ? emptyResult : content }
}

function textBlock(text: string): Block {
  return { type: 'text', text }
}
