import type { FinishReason, ModelEvent, Usage } from '../model.ts'
import type { FinalResponse, OutputItem, StreamEvent } from './stream-event.ts'

/** Turns the stream's events into ours. Errors are not its business. */
export interface AnswerReader {
  feed(event: StreamEvent): readonly ModelEvent[]
  /** Whether the last event has come. */
  readonly isOver: boolean
}

export function createAnswerReader(): AnswerReader {
  const reasoning: OutputItem[] = []
  /** Positions whose text has been streamed. */
  const streamed = new Set<number>()
  let calls = 0
  let refused = false
  let isOver = false

  const done = (position: number, item: OutputItem): ModelEvent[] => {
    if (item.type === 'reasoning') reasoning.push(item)
    if (item.type === 'function_call') {
      calls++
      const call = { id: item.call_id ?? item.id ?? '', name: item.name ?? '', arguments: item.arguments ?? '' }
      return [{ type: 'tool-call', call }]
    }
    if (item.type !== 'message' || streamed.has(position)) return []
    // A server that sends no deltas still sends the whole item.
    return (item.content ?? []).flatMap(({ text }) => (text ? [{ type: 'text-delta', text } as const] : []))
  }
  const finish = (final: FinalResponse): ModelEvent[] => {
    isOver = true
    return [
      {
        type: 'finish',
        reason: finishReason(final, calls, refused),
        ...(final.usage && { usage: usageOf(final.usage) }),
        ...(reasoning.length > 0 && { codexReasoningItems: [...reasoning] }),
      },
    ]
  }
  const feed = (event: StreamEvent): readonly ModelEvent[] => {
    switch (event.type) {
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        streamed.add(event.output_index)
        refused ||= event.type === 'response.refusal.delta'
        return [{ type: 'text-delta', text: event.delta }]
      case 'response.reasoning_summary_part.added':
        return event.summary_index > 0 ? [{ type: 'reasoning-delta', text: '\n\n' }] : []
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        return [{ type: 'reasoning-delta', text: event.delta }]
      case 'response.output_item.added':
        return event.item.type === 'function_call'
          ? [{ type: 'tool-call-start', id: event.item.call_id ?? '', name: event.item.name ?? '' }]
          : []
      case 'response.output_item.done':
        return done(event.output_index, event.item)
      case 'response.completed':
      case 'response.incomplete':
        return finish(event.response)
      default:
        return []
    }
  }
  return {
    feed,
    get isOver() {
      return isOver
    },
  }
}

function finishReason(
  { incomplete_details: incomplete }: FinalResponse,
  calls: number,
  refused: boolean,
): FinishReason {
  if (incomplete?.reason === 'max_output_tokens') return 'length'
  if (incomplete?.reason === 'content_filter') return 'content_filter'
  if (calls > 0) return 'tool_calls'
  return refused ? 'content_filter' : 'stop'
}

/** `input_tokens` counts what came from the cache as well. */
function usageOf(counts: NonNullable<FinalResponse['usage']>): Usage {
  const cached = counts.input_tokens_details?.cached_tokens ?? 0
  return {
    inputTokens: Math.max(0, (counts.input_tokens ?? 0) - cached),
    outputTokens: counts.output_tokens ?? 0,
    cacheReadTokens: cached,
    cacheWriteTokens: 0,
    reasoningTokens: counts.output_tokens_details?.reasoning_tokens ?? 0,
  }
}
