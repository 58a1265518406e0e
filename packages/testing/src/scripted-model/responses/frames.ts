import type { ScriptedAnswer } from '../answer.ts'
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
  const started = { id: `resp_${context.n}`, object: 'response', status: 'in_progress', model: context.body.model }
  return [
    { type: 'response.created', response: started },
    { type: 'response.in_progress', response: started },
    ...outputOf(answer, context.n).flatMap(({ item, deltas }, position) => [
      { type: 'response.output_item.added', output_index: position, item: { ...item, status: 'in_progress' } },
      ...deltas.map((delta) => ({ ...delta, output_index: position, item_id: item.id })),
      { type: 'response.output_item.done', output_index: position, item: { ...item, status: 'completed' } },
    ]),
  ]
}

/** The event that ends a stream. */
export function lastEvent(answer: ScriptedAnswer): Event {
  const reason =
    answer.finishReason === 'length'
      ? 'max_output_tokens'
      : answer.finishReason === 'content_filter'
        ? 'content_filter'
        : undefined
  const type = reason === undefined ? 'response.completed' : 'response.incomplete'
  return { type, response: final(answer, reason) }
}

/** The answer as one `response` object. */
export function response(answer: ScriptedAnswer, context: AnswerContext): unknown {
  const output = outputOf(answer, context.n).map(({ item }) => item)
  return { id: `resp_${context.n}`, object: 'response', model: context.body.model, output, ...final(answer, undefined) }
}

function final({ usage }: ScriptedAnswer, reason: string | undefined): Readonly<Record<string, unknown>> {
  return {
    status: reason === undefined ? 'completed' : 'incomplete',
    error: null,
    incomplete_details: reason === undefined ? null : { reason },
    usage: usage === null ? null : (usage ?? defaultUsage),
  }
}

interface Output {
  readonly item: { readonly type: string; readonly id: string; readonly [field: string]: unknown }
  readonly deltas: readonly Event[]
}

function outputOf(answer: ScriptedAnswer, n: number): readonly Output[] {
  const calls = answer.toolCalls ?? []
  return [
    ...(answer.reasoning === undefined ? [] : [reasoningItem(textPieces(answer.reasoning), n)]),
    ...(answer.text === undefined ? [] : [messageItem(textPieces(answer.text), n)]),
    ...calls.map((call, position): Output => {
      const pieces = argumentPieces(call.arguments)
      const callId = call.id ?? `call_${n}_${position}`
      return {
        item: {
          type: 'function_call',
          id: `fc_${n}_${position}`,
          call_id: callId,
          name: call.name,
          arguments: pieces.join(''),
        },
        deltas: pieces.map((delta) => ({ type: 'response.function_call_arguments.delta', delta })),
      }
    }),
  ]
}

function reasoningItem(pieces: readonly string[], n: number): Output {
  return {
    item: {
      type: 'reasoning',
      id: `rs_${n}`,
      summary: [{ type: 'summary_text', text: pieces.join('') }],
      encrypted_content: `encrypted_${n}`,
    },
    deltas: [
      { type: 'response.reasoning_summary_part.added', summary_index: 0, part: { type: 'summary_text', text: '' } },
      ...pieces.map((delta) => ({ type: 'response.reasoning_summary_text.delta', summary_index: 0, delta })),
    ],
  }
}

function messageItem(pieces: readonly string[], n: number): Output {
  return {
    item: {
      type: 'message',
      id: `msg_${n}`,
      role: 'assistant',
      content: [{ type: 'output_text', text: pieces.join(''), annotations: [] }],
    },
    deltas: pieces.map((delta) => ({ type: 'response.output_text.delta', content_index: 0, delta })),
  }
}
