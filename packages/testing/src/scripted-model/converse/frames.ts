import type { ScriptedAnswer } from '../answer.ts'
import { argumentPieces, textPieces } from '../pieces.ts'
import { eventMessage } from './event-message.ts'

const defaultUsage = { inputTokens: 100, outputTokens: 20, totalTokens: 120 }

/** One event of the stream. */
export function event(type: string, payload: unknown): Uint8Array {
  return eventMessage({ ':event-type': type, ':content-type': 'application/json', ':message-type': 'event' }, payload)
}

/** An error inside a stream. */
export function exception(error: unknown): Uint8Array {
  const { type = 'internalServerException', message = String(error) } = error as Record<string, string>
  return eventMessage(
    { ':exception-type': type, ':content-type': 'application/json', ':message-type': 'exception' },
    { message },
  )
}

/** An answer as events of https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStreamOutput.html. */
export function events(answer: ScriptedAnswer, n: number): readonly Uint8Array[] {
  const blocks = blocksOf(answer, n)
  return [
    event('messageStart', { role: 'assistant' }),
    ...blocks.flatMap(({ start, deltas }, contentBlockIndex) => [
      ...(start ? [event('contentBlockStart', { contentBlockIndex, start })] : []),
      ...deltas.map((delta) => event('contentBlockDelta', { contentBlockIndex, delta })),
      event('contentBlockStop', { contentBlockIndex }),
    ]),
  ]
}

/** The events that end a stream. */
export function lastEvents({ finishReason, toolCalls = [], usage }: ScriptedAnswer): readonly Uint8Array[] {
  const stopReason = reasons[finishReason ?? ''] ?? finishReason ?? (toolCalls.length > 0 ? 'tool_use' : 'end_turn')
  return [
    event('messageStop', { stopReason }),
    ...(usage === null ? [] : [event('metadata', { usage: usage ?? defaultUsage, metrics: { latencyMs: 1 } })]),
  ]
}

const reasons: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'content_filtered',
}

interface ScriptedBlock {
  readonly start?: unknown
  readonly deltas: readonly unknown[]
}

function blocksOf({ reasoning, text, toolCalls = [] }: ScriptedAnswer, n: number): readonly ScriptedBlock[] {
  const thought: ScriptedBlock = {
    deltas: [
      ...textPieces(reasoning).map((piece) => ({ reasoningContent: { text: piece } })),
      { reasoningContent: { signature: `sig_${n}` } },
    ],
  }
  return [
    ...(reasoning === undefined ? [] : [thought]),
    ...(text === undefined ? [] : [{ deltas: textPieces(text).map((piece) => ({ text: piece })) }]),
    ...toolCalls.map((call, position) => ({
      start: { toolUse: { toolUseId: call.id ?? `tooluse_${n}_${position}`, name: call.name } },
      deltas: argumentPieces(call.arguments).map((input) => ({ toolUse: { input } })),
    })),
  ]
}
