import type { TranscriptMessage } from './transcript.ts'

/**
 * What keeps a transcript from being sent to a model, or undefined when it is well formed: a system message comes first
 * only; each tool call has its one result, right after the message that holds it; call ids are unique; the model is not
 * asked to follow its own message. The law behind every wire; see also what repairs a stored history in `agent`.
 */
export function validateTranscript(messages: readonly TranscriptMessage[]): string | undefined {
  const seen = new Set<string>()
  const open = new Set<string>()
  for (const [index, message] of messages.entries()) {
    const at = `message ${index}`
    if (message.role === 'tool') {
      if (open.delete(message.toolCallId)) continue
      return `${at}: a result for ${message.toolCallId}, which is no open call`
    }
    if (open.size > 0) return `${at}: no result for ${[...open].join(', ')}`
    if (message.role === 'system' && index > 0) return `${at}: a system message that is not the first`
    if (message.role !== 'assistant') continue
    for (const { id } of message.toolCalls) {
      if (id === '') return `${at}: a call without an id`
      if (seen.has(id)) return `${at}: the call id ${id} is used twice`
      seen.add(id)
      open.add(id)
    }
  }
  if (open.size > 0) return `no result for ${[...open].join(', ')}`
  const last = messages.at(-1)
  if (!last || last.role === 'system') return 'no message to answer'
  return last.role === 'assistant' ? 'the last message is the model’s own' : undefined
}
