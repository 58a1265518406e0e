import type { TranscriptMessage } from '@hermes/core/models/transcript.ts'
import { lazily } from '@hermes/core/storage/lazily.ts'
import { z } from 'zod'

const callSchema = lazily(() =>
  z.looseObject({
    id: z.string(),
    function: z.looseObject({ name: z.string(), arguments: z.string() }),
  }),
)

const messageSchema = lazily(() =>
  z.looseObject({
    role: z.string(),
    content: z.unknown(),
    tool_calls: z.array(callSchema()).nullish(),
    tool_call_id: z.string().nullish(),
    name: z.string().nullish(),
  }),
)

/** A history as upstream stores it: messages of the chat wire. */
export const wireHistory = lazily(() => z.array(messageSchema()))

export type WireHistory = z.infer<ReturnType<typeof wireHistory>>

export function toWireHistory(messages: readonly TranscriptMessage[]): WireHistory {
  return messages.map((message) => {
    const { role, content } = message
    if (role === 'tool') return { role, content, tool_call_id: message.toolCallId, name: message.toolName }
    if (role !== 'assistant' || message.toolCalls.length === 0) return { role, content }
    const calls = message.toolCalls.map((call) => ({
      id: call.id,
      type: 'function',
      function: { name: call.name, arguments: call.arguments },
    }))
    return { role, content, tool_calls: calls }
  })
}

/** Messages that are no part of a conversation are left out. */
export function fromWireHistory(messages: WireHistory): readonly TranscriptMessage[] {
  const names = new Map(
    messages.flatMap(({ tool_calls: calls }) => calls ?? []).map((call) => [call.id, call.function]),
  )
  return messages.flatMap((message): TranscriptMessage[] => {
    const { role, tool_calls: calls, tool_call_id: toolCallId } = message
    const content = typeof message.content === 'string' ? message.content : ''
    if (role === 'user') return [{ role, content }]
    if (role === 'assistant') {
      const toolCalls = (calls ?? []).map(({ id, function: { name, arguments: text } }) => ({
        id,
        name,
        arguments: text,
      }))
      return [{ role, content, toolCalls, finishReason: toolCalls.length > 0 ? 'tool_calls' : 'stop' }]
    }
    if (role !== 'tool' || !toolCallId) return []
    return [{ role, content, toolCallId, toolName: message.name ?? names.get(toolCallId)?.name ?? '' }]
  })
}
