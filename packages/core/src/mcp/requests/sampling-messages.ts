import type { SamplingMessage, SamplingMessageContentBlock } from '@modelcontextprotocol/client'
import type { ImagePart, TranscriptMessage } from '../../models/transcript.ts'

/** A server's messages as a transcript. What no model of ours takes (audio) is named. */
export function samplingTranscript(
  messages: readonly SamplingMessage[],
  systemPrompt: string | undefined,
): readonly TranscriptMessage[] {
  const system: TranscriptMessage[] = systemPrompt ? [{ role: 'system', content: systemPrompt }] : []
  return [...system, ...messages.flatMap(messageOf)]
}

function messageOf({ role, content }: SamplingMessage): readonly TranscriptMessage[] {
  const blocks = Array.isArray(content) ? content : [content]
  const text = blocks.flatMap(textOf).join('\n')
  if (role === 'assistant') {
    const toolCalls = blocks.flatMap((block) =>
      block.type === 'tool_use'
        ? [{ id: block.id, name: block.name, arguments: JSON.stringify(block.input ?? {}) }]
        : [],
    )
    return [{ role: 'assistant', content: text, toolCalls }]
  }
  const results = blocks.flatMap((block): TranscriptMessage[] => {
    if (block.type !== 'tool_result') return []
    const content = block.content.flatMap((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n')
    return [{ role: 'tool', toolCallId: block.toolUseId, toolName: '', content }]
  })
  const images = blocks.flatMap((block): ImagePart[] =>
    block.type === 'image' ? [{ mediaType: block.mimeType, data: block.data }] : [],
  )
  const rest: TranscriptMessage[] =
    text === '' && images.length === 0 ? [] : [{ role: 'user', content: text, ...(images.length > 0 && { images }) }]
  return [...results, ...rest]
}

function textOf(block: SamplingMessageContentBlock): readonly string[] {
  if (block.type === 'text') return [block.text]
  return block.type === 'audio' ? [`[audio ${block.mimeType}, which cannot be heard here]`] : []
}
