import type { AssistantMessage, TranscriptMessage, UserMessage } from '../transcript.ts'
import { shortId } from '../wire/call-parts.ts'

/** An item of a request's `input`, as far as we write it. */
export interface InputItem {
  readonly type: string
  readonly [field: string]: unknown
}

/**
 * A transcript as input items (https://platform.openai.com/docs/api-reference/responses/create), the system message left
 * out. Encrypted reasoning goes back in front of the answer that it led to.
 */
export function toInputItems(messages: readonly TranscriptMessage[], keepReasoning: boolean): InputItem[] {
  const seen = new Set<unknown>()
  return messages.flatMap((message): InputItem[] => {
    if (message.role === 'user') return [{ type: 'message', role: 'user', content: userParts(message) }]
    if (message.role === 'assistant') return assistantItems(message, keepReasoning, seen)
    if (message.role === 'tool') {
      return [{ type: 'function_call_output', call_id: shortId(message.toolCallId), output: message.content }]
    }
    return []
  })
}

function userParts({ content, images = [] }: UserMessage): readonly InputItem[] {
  const pictures = images.map(({ mediaType, data }): InputItem => ({
    type: 'input_image',
    image_url: `data:${mediaType};base64,${data}`,
  }))
  return content === '' && pictures.length > 0 ? pictures : [{ type: 'input_text', text: content }, ...pictures]
}

function assistantItems(message: AssistantMessage, keepReasoning: boolean, seen: Set<unknown>): InputItem[] {
  const { content, toolCalls } = message
  const text: InputItem[] =
    content === '' ? [] : [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: content }] }]
  const calls = toolCalls.map(({ id, name, arguments: args }): InputItem => ({
    type: 'function_call',
    call_id: shortId(id),
    name,
    arguments: args.trim() === '' ? '{}' : args,
  }))
  return [...(keepReasoning ? reasoningItems(message, seen) : []), ...text, ...calls]
}

/** Reasoning that can stand without the server's own memory: it carries its encrypted content. Each item goes once. */
function reasoningItems({ codexReasoningItems }: AssistantMessage, seen: Set<unknown>): InputItem[] {
  if (!Array.isArray(codexReasoningItems)) return []
  return (codexReasoningItems as readonly unknown[]).flatMap((item) => {
    if (typeof item !== 'object' || item === null) return []
    const { id, summary, encrypted_content: content } = item as Record<string, unknown>
    if (typeof content !== 'string' || content === '' || seen.has(content)) return []
    seen.add(content)
    return [
      {
        type: 'reasoning',
        ...(typeof id === 'string' && { id }),
        summary: Array.isArray(summary) ? summary : [],
        encrypted_content: content,
      },
    ]
  })
}
