import type { AssistantMessage } from '../transcript.ts'

/** A block of the model's thinking, as the Messages API wants it back: unchanged, with its signature. */
export type ThinkingBlock =
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'redacted_thinking'; readonly data: string }

/**
 * The signed thinking that an earlier answer carries: blocks stored by this wire, or those that OpenRouter passed on
 * from the same models (`reasoning.text`, `reasoning.encrypted`). Unsigned thinking is refused by the API and left out.
 */
export function thinkingBlocks({ reasoningDetails }: AssistantMessage): readonly ThinkingBlock[] {
  if (!Array.isArray(reasoningDetails)) return []
  return (reasoningDetails as readonly unknown[]).flatMap((item) => asBlock(item) ?? [])
}

function asBlock(item: unknown): ThinkingBlock | undefined {
  if (typeof item !== 'object' || item === null) return undefined
  const { type, thinking, text, signature, data, format } = item as Record<string, unknown>
  if (type === 'redacted_thinking' && isText(data)) return { type, data }
  if (type === 'thinking' && typeof thinking === 'string' && isText(signature)) return { type, thinking, signature }
  if (typeof format !== 'string' || !format.startsWith('anthropic')) return undefined
  if (type === 'reasoning.text' && isText(signature)) {
    return { type: 'thinking', thinking: typeof text === 'string' ? text : '', signature }
  }
  return type === 'reasoning.encrypted' && isText(data) ? { type: 'redacted_thinking', data } : undefined
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}
