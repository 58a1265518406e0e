import type { ChatMessage, ContentPart } from './messages.ts'

const mark = { cache_control: { type: 'ephemeral' } }

/** Most marks in one request: the provider's limit is 4, and the system prompt takes one. */
const conversationMarks = 3

/**
 * Marks the system prompt and the last three messages for Anthropic's prompt cache, as OpenRouter passes it on
 * (https://openrouter.ai/docs/features/prompt-caching). Tool results cannot carry a mark there. What can be marked is
 * always written in parts, so that a message stays the same when its mark has moved on.
 */
export function withCacheMarks(messages: readonly ChatMessage[]): ChatMessage[] {
  const marked = new Set<number>()
  if (messages[0]?.role === 'system') marked.add(0)
  for (let at = messages.length - 1; at > 0 && marked.size <= conversationMarks; at--) {
    if (canBeMarked(messages[at])) marked.add(at)
  }
  return messages.map((message, at) => (canBeMarked(message) ? inParts(message, marked.has(at)) : message))
}

function canBeMarked(message: ChatMessage | undefined): boolean {
  return message !== undefined && message.role !== 'tool' && message.content !== null && message.content !== ''
}

function inParts(message: ChatMessage, isMarked: boolean): ChatMessage {
  const parts: readonly ContentPart[] =
    typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : (message.content ?? [])
  if (!isMarked) return { ...message, content: parts }
  return { ...message, content: parts.map((part, at) => (at === parts.length - 1 ? { ...part, ...mark } : part)) }
}
