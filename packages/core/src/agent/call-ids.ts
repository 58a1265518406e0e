import { randomBytes } from 'node:crypto'
import type { ToolCall, TranscriptMessage } from '../models/transcript.ts'

/** Ids of all calls in a transcript. */
export function callIdsOf(messages: readonly TranscriptMessage[]): Set<string> {
  const ids = new Set<string>()
  for (const message of messages) {
    if (message.role === 'assistant') for (const call of message.toolCalls) ids.add(call.id)
  }
  return ids
}

/**
 * Gives every call an id that its session has not seen: some servers send none, or begin again at `call_0` with each
 * answer. The ids are added to `taken`.
 */
export function withUniqueIds(calls: readonly ToolCall[], taken: Set<string>): ToolCall[] {
  return calls.map((call) => {
    const id = call.id !== '' && !taken.has(call.id) ? call.id : `call_${randomBytes(8).toString('hex')}`
    taken.add(id)
    return id === call.id ? call : { ...call, id }
  })
}
