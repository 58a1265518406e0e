import type { ScriptedAnswer, ScriptedToolCall } from '../answer.ts'
import { argumentPieces, textPieces } from '../pieces.ts'
import type { AnswerContext } from '../wire.ts'

/** The counts that are sent when an answer names none. */
export const defaultUsage: Readonly<Record<string, unknown>> = { input_tokens: 100, output_tokens: 20 }

/** What begins each stream and is the frame of each whole answer. */
function envelope(answer: ScriptedAnswer, { n, body }: AnswerContext): Record<string, unknown> {
  return {
    id: `msg_${n}`,
    type: 'message',
    role: 'assistant',
    model: body.model,
    stop_sequence: null,
    usage: answer.usage ?? defaultUsage,
  }
}

/** An answer as events of https://docs.anthropic.com/en/docs/build-with-claude/streaming. */
export function events(answer: ScriptedAnswer, context: AnswerContext): readonly { readonly type: string }[] {
  // Raw chunks are whole wire objects, so each has a type.
  if (answer.rawChunks) return answer.rawChunks as readonly { readonly type: string }[]
  const message = { ...envelope(answer, context), content: [], stop_reason: null }
  const blocks = blocksOf(answer, context.n)
  const reason = stopReason(answer)
  return [
    { type: 'message_start', message },
    { type: 'ping' },
    ...blocks.flatMap(({ start, deltas }, index) => [
      { type: 'content_block_start', index, content_block: start },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    ...(reason === null
      ? []
      : [
          {
            type: 'message_delta',
            delta: { stop_reason: reason, stop_sequence: null },
            usage: { output_tokens: (answer.usage ?? defaultUsage)['output_tokens'] ?? 0 },
          },
        ]),
  ] as { type: string }[]
}

/** The answer as one `message` object. */
export function message(answer: ScriptedAnswer, context: AnswerContext): unknown {
  const content = blocksOf(answer, context.n).map(({ whole }) => whole)
  return { ...envelope(answer, context), content, stop_reason: stopReason(answer) }
}

interface ScriptedBlock {
  readonly start: unknown
  readonly deltas: readonly unknown[]
  readonly whole: unknown
}

function blocksOf(answer: ScriptedAnswer, n: number): readonly ScriptedBlock[] {
  return [
    ...thinkingBlocks(answer, n),
    ...(answer.text === undefined ? [] : [textBlock(textPieces(answer.text))]),
    ...(answer.toolCalls ?? []).map((call, position) => toolBlock(call, n, position)),
  ]
}

function thinkingBlocks({ reasoning, reasoningDetails = [] }: ScriptedAnswer, n: number): readonly ScriptedBlock[] {
  const given = reasoningDetails.map((whole): ScriptedBlock => ({ start: whole, deltas: [], whole }))
  if (reasoning === undefined) return given
  const pieces = textPieces(reasoning)
  const signature = `sig_${n}`
  return [
    {
      start: { type: 'thinking', thinking: '', signature: '' },
      deltas: [
        ...pieces.map((thinking) => ({ type: 'thinking_delta', thinking })),
        { type: 'signature_delta', signature },
      ],
      whole: { type: 'thinking', thinking: pieces.join(''), signature },
    },
    ...given,
  ]
}

function textBlock(pieces: readonly string[]): ScriptedBlock {
  return {
    start: { type: 'text', text: '' },
    deltas: pieces.map((text) => ({ type: 'text_delta', text })),
    whole: { type: 'text', text: pieces.join('') },
  }
}

function toolBlock(call: ScriptedToolCall, n: number, position: number): ScriptedBlock {
  const id = call.id ?? `toolu_${n}_${position}`
  const pieces = argumentPieces(call.arguments)
  const head = { type: 'tool_use', id, name: call.name }
  return {
    start: { ...head, input: {} },
    deltas: [
      { type: 'input_json_delta', partial_json: '' },
      ...pieces.map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
    ],
    whole: { ...head, input: inputOf(pieces.join('')) },
  }
}

function inputOf(text: string): unknown {
  try {
    return text.trim() === '' ? {} : JSON.parse(text)
  } catch {
    return {}
  }
}

const reasons: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
}

/** Scripts name reasons as the chat wire does, or as this wire does. */
function stopReason({ finishReason, toolCalls = [] }: ScriptedAnswer): string | null {
  if (finishReason === null) return null
  if (finishReason !== undefined) return reasons[finishReason] ?? finishReason
  return toolCalls.length > 0 ? 'tool_use' : 'end_turn'
}
