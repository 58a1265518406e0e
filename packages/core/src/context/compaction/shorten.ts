import type { ToolCall, TranscriptMessage } from '../../models/transcript.ts'

/** Beginning and end of a text that is longer than `maxChars`, with what is left out between them. */
export function shortenText(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text
  const head = text.slice(0, Math.ceil(maxChars * 0.7)).toWellFormed()
  const tail = text.slice(text.length - Math.floor(maxChars * 0.3)).toWellFormed()
  return `${head}\n[… ${text.length - head.length - tail.length} characters left out …]\n${tail}`
}

/** A call whose long texts are shortened. Its arguments are valid JSON afterwards. */
export function shortenCall(call: ToolCall, maxChars: number): ToolCall {
  if (call.arguments.length <= maxChars) return call
  try {
    const shortened = JSON.stringify(shortenValue(JSON.parse(call.arguments), maxChars))
    return shortened.length < call.arguments.length ? { ...call, arguments: shortened } : call
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return { ...call, arguments: '{}' }
  }
}

/** An answer whose calls are shortened; any other message as it is. */
export function shortenCalls(message: TranscriptMessage, maxChars: number): TranscriptMessage {
  if (message.role !== 'assistant') return message
  const toolCalls = message.toolCalls.map((call) => shortenCall(call, maxChars))
  return toolCalls.some((call, index) => call !== message.toolCalls[index]) ? { ...message, toolCalls } : message
}

function shortenValue(value: unknown, maxChars: number): unknown {
  if (typeof value === 'string') return shortenText(value, maxChars)
  if (Array.isArray(value)) return value.map((item) => shortenValue(item, maxChars))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, shortenValue(item, maxChars)]))
}
