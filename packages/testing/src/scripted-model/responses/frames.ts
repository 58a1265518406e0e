import type { ScriptedAnswer, ScriptedToolCall } from '../answer.ts'
import { argumentPieces, textPieces } from '../pieces.ts'
import type { AnswerContext } from '../wire.ts'

const defaultUsage = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens: 20,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 120,
}

interface Event {
  readonly type: string
  readonly [field: string]: unknown
}

/** An answer as events of https://platform.openai.com/docs/api-reference/responses-streaming, the last one left out. */
export function events(answer: ScriptedAnswer, context: AnswerContext): readonly Event[] {
  // Raw chunks are whole wire objects, so each has a type.
  if (answer.rawChunks) return answer.rawChunks as readonly Event[]
  const started = { ...envelope(context), status: 'in_progress', output: [] }
  return numbered([
    { type: 'response.created', response: started },
    { type: 'response.in_progress', response: started },
    ...outputOf(answer, context.n).flatMap(({ item, begun, steps }, position) => [
      {
        type: 'response.output_item.added',
        output_index: position,
        item: { ...item, ...begun, status: 'in_progress' },
      },
      ...steps.map((step) => ({ ...step, output_index: position, item_id: item.id })),
      { type: 'response.output_item.done', output_index: position, item: { ...item, status: 'completed' } },
    ]),
  ])
}

/** The event that ends a stream. */
export function lastEvent(answer: ScriptedAnswer, context: AnswerContext): Event {
  const isCut = incompleteReason(answer) !== undefined
  const type = isCut ? 'response.incomplete' : 'response.completed'
  return { type, sequence_number: 1_000_000, response: response(answer, context) }
}

/** The answer as one `response` object. */
export function response(answer: ScriptedAnswer, context: AnswerContext): unknown {
  const reason = incompleteReason(answer)
  const { usage } = answer
  return {
    ...envelope(context),
    status: reason === undefined ? 'completed' : 'incomplete',
    error: null,
    incomplete_details: reason === undefined ? null : { reason },
    output: outputOf(answer, context.n).map(({ item }) => ({ ...item, status: 'completed' })),
    usage: usage === null ? null : (usage ?? defaultUsage),
  }
}

function envelope({ n, body }: AnswerContext): Readonly<Record<string, unknown>> {
  return { id: `resp_${n}`, object: 'response', created_at: 0, model: body.model, error: null, usage: null }
}

function incompleteReason({ finishReason }: ScriptedAnswer): string | undefined {
  if (finishReason === 'length') return 'max_output_tokens'
  return finishReason === 'content_filter' ? 'content_filter' : undefined
}

function numbered(all: readonly Event[]): readonly Event[] {
  return all.map((event, at) => ({ ...event, sequence_number: at }))
}

interface Output {
  readonly item: { readonly type: string; readonly id: string; readonly [field: string]: unknown }
  /** What of it is still empty when it begins. */
  readonly begun: Readonly<Record<string, unknown>>
  readonly steps: readonly Event[]
}

function outputOf(answer: ScriptedAnswer, n: number): readonly Output[] {
  return [
    ...(answer.reasoning === undefined ? [] : [reasoningItem(textPieces(answer.reasoning), n)]),
    ...(answer.text === undefined ? [] : [messageItem(textPieces(answer.text), n)]),
    ...(answer.toolCalls ?? []).map((call, position) => callItem(call, n, position)),
  ]
}

function reasoningItem(pieces: readonly string[], n: number): Output {
  const part = { type: 'summary_text', text: pieces.join('') }
  const at = { summary_index: 0 }
  return {
    item: { type: 'reasoning', id: `rs_${n}`, summary: [part], encrypted_content: `encrypted_${n}` },
    begun: { summary: [] },
    steps: [
      { type: 'response.reasoning_summary_part.added', ...at, part: { type: 'summary_text', text: '' } },
      ...pieces.map((delta) => ({ type: 'response.reasoning_summary_text.delta', ...at, delta })),
      { type: 'response.reasoning_summary_text.done', ...at, text: part.text },
      { type: 'response.reasoning_summary_part.done', ...at, part },
    ],
  }
}

function messageItem(pieces: readonly string[], n: number): Output {
  const part = { type: 'output_text', text: pieces.join(''), annotations: [], logprobs: [] }
  const at = { content_index: 0 }
  return {
    item: { type: 'message', id: `msg_${n}`, role: 'assistant', content: [part] },
    begun: { content: [] },
    steps: [
      { type: 'response.content_part.added', ...at, part: { ...part, text: '' } },
      ...pieces.map((delta) => ({ type: 'response.output_text.delta', ...at, delta, logprobs: [] })),
      { type: 'response.output_text.done', ...at, text: part.text, logprobs: [] },
      { type: 'response.content_part.done', ...at, part },
    ],
  }
}

function callItem(call: ScriptedToolCall, n: number, position: number): Output {
  const pieces = argumentPieces(call.arguments)
  const args = pieces.join('')
  const callId = call.id ?? `call_${n}_${position}`
  return {
    item: { type: 'function_call', id: `fc_${n}_${position}`, call_id: callId, name: call.name, arguments: args },
    begun: { arguments: '' },
    steps: [
      ...pieces.map((delta) => ({ type: 'response.function_call_arguments.delta', delta })),
      { type: 'response.function_call_arguments.done', name: call.name, arguments: args },
    ],
  }
}
