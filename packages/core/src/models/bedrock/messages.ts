import { thinkingBlocks } from '../anthropic/thinking-blocks.ts'
import type { ThinkingBlock } from '../anthropic/thinking-blocks.ts'
import type { AssistantMessage, ToolMessage, TranscriptMessage, UserMessage } from '../transcript.ts'
import { alternating, emptyMessage, emptyResult } from '../wire/alternating.ts'
import type { BlockMessage } from '../wire/alternating.ts'
import { inputOf, plainId, shortId } from '../wire/call-parts.ts'
import type { Fields } from '../wire/json-fields.ts'

/** A transcript as messages of https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Message.html. */
export function toConverseMessages(
  messages: readonly TranscriptMessage[],
  keepThinking: boolean,
): BlockMessage<Fields>[] {
  return alternating<Fields>(messages, {
    user: userBlocks,
    assistant: (message) => assistantBlocks(message, keepThinking),
    result: resultBlock,
  })
}

function userBlocks({ content, images = [] }: UserMessage): Fields[] {
  const pictures = images.map(({ mediaType, data }) => ({
    image: { format: mediaType.replace(/^image\//, ''), source: { bytes: data } },
  }))
  if (content.trim() !== '') return [...pictures, { text: content }]
  return pictures.length > 0 ? [...pictures, { text: '.' }] : [{ text: emptyMessage }]
}

function assistantBlocks(message: AssistantMessage, keepThinking: boolean): Fields[] {
  const { content, toolCalls } = message
  return [
    ...(keepThinking ? thinkingBlocks(message).map(reasoningBlock) : []),
    ...(content.trim() === '' ? [] : [{ text: content }]),
    ...toolCalls.map((call) => ({
      toolUse: { toolUseId: callId(call.id), name: call.name, input: inputOf(call.arguments) },
    })),
  ]
}

function reasoningBlock(block: ThinkingBlock): Fields {
  return block.type === 'thinking'
    ? { reasoningContent: { reasoningText: { text: block.thinking, signature: block.signature } } }
    : { reasoningContent: { redactedContent: block.data } }
}

function resultBlock({ toolCallId, content }: ToolMessage): Fields {
  return {
    toolResult: { toolUseId: callId(toolCallId), content: [{ text: content.trim() === '' ? emptyResult : content }] },
  }
}

function callId(id: string): string {
  return shortId(plainId(id))
}
