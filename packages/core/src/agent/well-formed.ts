import type { AssistantMessage, ToolMessage, TranscriptMessage, UserMessage } from '../models/transcript.ts'

/** What the model reads for a call whose outcome nobody knows, since the process ended while it ran. */
export const interruptedResult = JSON.stringify({
  error:
    'Interrupted: the outcome of this call is unknown. It may have happened in full, in part or not at all. Verify.',
  status: 'interrupted',
})

/** Stands where an answer comes first, such as a greeting, since few services take a conversation that begins with one. */
const opening = '[The conversation begins with you.]'

/**
 * Makes any stored history fit to be sent: each call is followed at once by its one result (in the order of the calls),
 * results without a call are dropped, a call without a result gets `interruptedResult`, neighbours of the same role are
 * joined, empty answers go, and a user comes first. What is well formed comes back unchanged.
 */
export function wellFormed(history: readonly TranscriptMessage[]): TranscriptMessage[] {
  const fit: TranscriptMessage[] = []
  for (const message of withPairedResults(history)) {
    if (message.role === 'user') addUser(fit, message)
    else if (message.role === 'assistant') addAssistant(fit, message)
    else fit.push(message)
  }
  if (fit[0]?.role === 'assistant') fit.unshift({ role: 'user', content: opening })
  return fit
}

/** The same without joining neighbours, so that the messages that were fit are still the stored ones. */
export function withPairedResults(history: readonly TranscriptMessage[]): TranscriptMessage[] {
  const paired: TranscriptMessage[] = []
  for (const [index, message] of history.entries()) {
    if (message.role === 'user') paired.push(message)
    else if (message.role === 'assistant') {
      if (message.content === '' && message.toolCalls.length === 0) continue
      paired.push(message)
      for (const call of message.toolCalls) {
        paired.push(
          resultOf(call.id, history, index) ?? {
            role: 'tool',
            toolCallId: call.id,
            toolName: call.name,
            content: interruptedResult,
          },
        )
      }
    }
  }
  return paired
}

/** Results that are missing at the end of a history: the calls a crash cut off. In the order of the calls. */
export function missingResults(history: readonly TranscriptMessage[]): ToolMessage[] {
  const index = history.findLastIndex((message) => message.role === 'assistant')
  const last = history[index]
  if (last?.role !== 'assistant') return []
  return last.toolCalls
    .filter((call) => !resultOf(call.id, history, index))
    .map((call) => ({ role: 'tool', toolCallId: call.id, toolName: call.name, content: interruptedResult }))
}

/** The result of a call made at `index`: the first one after it, unless the same id is called again before. */
function resultOf(id: string, history: readonly TranscriptMessage[], index: number): ToolMessage | undefined {
  for (let next = index + 1; next < history.length; next++) {
    const message = history[next]
    if (message?.role === 'tool' && message.toolCallId === id) return message
    if (message?.role === 'assistant' && message.toolCalls.some((call) => call.id === id)) return undefined
  }
  return undefined
}

function addUser(fit: TranscriptMessage[], message: UserMessage): void {
  const last = fit.at(-1)
  if (last?.role !== 'user') fit.push(message)
  else {
    const images = [...(last.images ?? []), ...(message.images ?? [])]
    const content = `${last.content}\n\n${message.content}`
    fit[fit.length - 1] = { role: 'user', content, ...(images.length > 0 && { images }) }
  }
}

function addAssistant(fit: TranscriptMessage[], message: AssistantMessage): void {
  const last = fit.at(-1)
  if (last?.role !== 'assistant') fit.push(message)
  // An answer that was cut at the output limit and its continuation are stored as two messages.
  else fit[fit.length - 1] = { ...last, ...message, content: last.content + message.content }
}
