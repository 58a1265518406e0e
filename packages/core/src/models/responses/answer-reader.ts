import type { FinishReason, ModelEvent, Usage } from '../model.ts'
import type { CallLimit } from '../wire/call-limit.ts'
import { count, fields, objects, text } from '../wire/json-fields.ts'
import type { Fields } from '../wire/json-fields.ts'

/** Turns the stream's events into ours. Errors are not its business; it throws only what its limit of calls throws. */
export interface AnswerReader {
  /** Events of kinds that say nothing new to us are skipped. */
  feed(event: Fields): readonly ModelEvent[]
  /** Whether the last event has come. */
  readonly isOver: boolean
}

export function createAnswerReader(limit: CallLimit): AnswerReader {
  const reasoning: Fields[] = []
  /** Positions whose text, or arguments, have been streamed. */
  const streamed = new Set<unknown>()
  let calls = 0
  let refused = false

  const done = (position: unknown, item: Fields): readonly ModelEvent[] => {
    if (item['type'] === 'reasoning') reasoning.push(item)
    if (item['type'] === 'function_call') {
      calls++
      const id = text(item['call_id']) ?? text(item['id']) ?? ''
      const call = { id, name: text(item['name']) ?? '', arguments: text(item['arguments']) ?? '' }
      limit.begin()
      if (!streamed.has(position)) limit.grow(call.arguments.length)
      return [{ type: 'tool-call', call }]
    }
    if (item['type'] !== 'message' || streamed.has(position)) return none
    // A server that sends no deltas still sends the whole item.
    return objects(item['content']).flatMap((part) => said(part['text']))
  }
  const finish = (final: Fields): readonly ModelEvent[] => {
    reader.isOver = true
    const counts = fields(final['usage'])
    return [
      {
        type: 'finish',
        reason: finishReason(text(fields(final['incomplete_details'])?.['reason']), calls, refused),
        ...(counts && { usage: usageOf(counts) }),
        ...(reasoning.length > 0 && { codexReasoningItems: [...reasoning] }),
      },
    ]
  }
  const feed = (event: Fields): readonly ModelEvent[] => {
    const item = fields(event['item']) ?? {}
    switch (event['type']) {
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        streamed.add(event['output_index'])
        refused ||= event['type'] === 'response.refusal.delta'
        return said(event['delta'])
      case 'response.reasoning_summary_part.added':
        return count(event['summary_index']) > 0 ? [{ type: 'reasoning-delta', text: '\n\n' }] : none
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        return thought(event['delta'])
      case 'response.function_call_arguments.delta':
        // What counts is in the whole item.
        streamed.add(event['output_index'])
        limit.grow(text(event['delta'])?.length ?? 0)
        return none
      case 'response.output_item.added':
        if (item['type'] !== 'function_call') return none
        return [{ type: 'tool-call-start', id: text(item['call_id']) ?? '', name: text(item['name']) ?? '' }]
      case 'response.output_item.done':
        return done(event['output_index'], item)
      case 'response.completed':
      case 'response.incomplete':
        return finish(fields(event['response']) ?? {})
      default:
        return none
    }
  }
  const reader = { feed, isOver: false }
  return reader
}

const none: readonly ModelEvent[] = []

function said(value: unknown): readonly ModelEvent[] {
  const piece = text(value)
  return piece === undefined ? none : [{ type: 'text-delta', text: piece }]
}

function thought(value: unknown): readonly ModelEvent[] {
  const piece = text(value)
  return piece === undefined ? none : [{ type: 'reasoning-delta', text: piece }]
}

function finishReason(incomplete: string | undefined, calls: number, refused: boolean): FinishReason {
  if (incomplete === 'max_output_tokens') return 'length'
  if (incomplete === 'content_filter') return 'content_filter'
  if (calls > 0) return 'tool_calls'
  return refused ? 'content_filter' : 'stop'
}

/** `input_tokens` counts what came from the cache as well. */
function usageOf(counts: Fields): Usage {
  const cached = count(fields(counts['input_tokens_details'])?.['cached_tokens'])
  return {
    inputTokens: Math.max(0, count(counts['input_tokens']) - cached),
    outputTokens: count(counts['output_tokens']),
    cacheReadTokens: cached,
    cacheWriteTokens: 0,
    reasoningTokens: count(fields(counts['output_tokens_details'])?.['reasoning_tokens']),
  }
}
