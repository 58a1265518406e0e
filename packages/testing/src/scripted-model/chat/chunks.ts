import type { ScriptedAnswer, ScriptedToolCall } from '../answer.ts'
import { argumentPieces, interleave, textPieces } from '../pieces.ts'
import type { AnswerContext } from '../wire.ts'

/** The counts that are sent when an answer names none. */
export const defaultUsage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 }

/** An answer as `chat.completion.chunk` objects, https://platform.openai.com/docs/api-reference/chat-streaming. */
export function chunks(answer: ScriptedAnswer, context: AnswerContext): readonly unknown[] {
  if (answer.rawChunks) return answer.rawChunks
  const wrap = (delta: unknown, finish: string | null = null): unknown => ({
    id: `chatcmpl-${context.n}`,
    object: 'chat.completion.chunk',
    created: 0,
    model: context.body.model,
    choices: [{ index: 0, delta, finish_reason: finish }],
  })
  const reason = finishReason(answer)
  return [
    wrap({ role: 'assistant', content: '' }),
    ...deltas(answer, context.n).map((delta) => wrap(delta)),
    ...(reason === null ? [] : [wrap({}, reason)]),
    ...usageChunks(answer, context),
  ]
}

/** The answer as one `chat.completion` object. */
export function completion(answer: ScriptedAnswer, context: AnswerContext): unknown {
  const calls = (answer.toolCalls ?? []).map((call, position) => ({
    ...callHead(call, context.n, position),
    function: { name: call.name, arguments: argumentPieces(call.arguments).join('') },
  }))
  const message = {
    role: 'assistant',
    content: answer.text === undefined && calls.length > 0 ? null : textPieces(answer.text).join(''),
    ...(answer.reasoning !== undefined && {
      [answer.reasoningField ?? 'reasoning_content']: textPieces(answer.reasoning).join(''),
    }),
    ...(answer.reasoningDetails && { reasoning_details: answer.reasoningDetails }),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
  return {
    id: `chatcmpl-${context.n}`,
    object: 'chat.completion',
    created: 0,
    model: context.body.model,
    choices: [{ index: 0, message, finish_reason: finishReason(answer) }],
    ...(answer.usage !== null && { usage: answer.usage ?? defaultUsage }),
  }
}

function deltas(answer: ScriptedAnswer, n: number): readonly unknown[] {
  const field = answer.reasoningField ?? 'reasoning_content'
  const calls = (answer.toolCalls ?? []).map((call, position) => callDeltas(call, n, position))
  return [
    ...textPieces(answer.reasoning).map((piece) => ({ [field]: piece })),
    ...(answer.reasoningDetails ?? []).map((detail) => ({ reasoning_details: [detail] })),
    ...textPieces(answer.text).map((piece) => ({ content: piece })),
    ...(answer.interleaved ? interleave(calls) : calls.flat()),
  ]
}

/** A call as the API streams it: its head first, then its arguments piece by piece. */
function callDeltas(call: ScriptedToolCall, n: number, position: number): readonly unknown[] {
  const { index, ...head } = callHead(call, n, position)
  const place = index === undefined ? {} : { index }
  return [
    { tool_calls: [{ ...place, ...head, function: { name: call.name, arguments: '' } }] },
    ...argumentPieces(call.arguments).map((piece) => ({ tool_calls: [{ ...place, function: { arguments: piece } }] })),
  ]
}

function callHead(call: ScriptedToolCall, n: number, position: number): Readonly<Record<string, unknown>> {
  const id = call.id === undefined ? `call_${n}_${position}` : call.id
  return {
    ...(call.index !== null && { index: call.index ?? position }),
    ...(id !== null && { id }),
    type: 'function',
    ...call.extra,
  }
}

function finishReason(answer: ScriptedAnswer): string | null {
  if (answer.finishReason !== undefined) return answer.finishReason
  return (answer.toolCalls ?? []).length > 0 ? 'tool_calls' : 'stop'
}

function usageChunks({ usage }: ScriptedAnswer, { body, n }: AnswerContext): readonly unknown[] {
  const wanted = (body['stream_options'] as { include_usage?: boolean } | undefined)?.include_usage === true
  if (!wanted || usage === null) return []
  return [{ id: `chatcmpl-${n}`, object: 'chat.completion.chunk', choices: [], usage: usage ?? defaultUsage }]
}
