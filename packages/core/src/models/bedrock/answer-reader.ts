import type { ThinkingBlock } from '../anthropic/thinking-blocks.ts'
import type { FinishReason, ModelEvent, Usage } from '../model.ts'
import type { CallLimit } from '../wire/call-limit.ts'
import { countedUsage } from '../wire/counted-usage.ts'
import { fields, text } from '../wire/json-fields.ts'
import type { Fields } from '../wire/json-fields.ts'

/** Turns the stream's events into ours. Errors are not its business; it throws only what its limit of calls throws. */
export interface AnswerReader {
  /** `type` is the event's own name; events of kinds that mean nothing to us are skipped. */
  feed(type: string, event: Fields): readonly ModelEvent[]
  /** The last event; undefined when the stream ended before the answer did. */
  end(): ModelEvent | undefined
}

interface OpenBlock {
  call: { readonly id: string; readonly name: string } | undefined
  input: string
  thinking: string
  signature: string
  redacted: string
}

const countNames = {
  input: 'inputTokens',
  output: 'outputTokens',
  cacheRead: 'cacheReadInputTokens',
  cacheWrite: 'cacheWriteInputTokens',
}

const reasons: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  guardrail_intervened: 'content_filter',
  content_filtered: 'content_filter',
}

const none: readonly ModelEvent[] = []

export function createAnswerReader(limit: CallLimit): AnswerReader {
  const open = new Map<unknown, OpenBlock>()
  const thinking: ThinkingBlock[] = []
  let reason: FinishReason | undefined
  let usage: Usage | undefined

  /** Blocks of text begin without saying so. */
  const block = (index: unknown): OpenBlock => {
    const found = open.get(index) ?? { call: undefined, input: '', thinking: '', signature: '', redacted: '' }
    open.set(index, found)
    return found
  }
  const feed = (type: string, event: Fields): readonly ModelEvent[] => {
    const index = event['contentBlockIndex']
    switch (type) {
      case 'contentBlockStart': {
        const use = fields(fields(event['start'])?.['toolUse'])
        if (!use) return none
        const call = { id: text(use['toolUseId']) ?? '', name: text(use['name']) ?? '' }
        limit.begin()
        block(index).call = call
        return [{ type: 'tool-call-start', ...call }]
      }
      case 'contentBlockDelta':
        return grow(block(index), fields(event['delta']) ?? {}, limit)
      case 'contentBlockStop':
        return close(open, index, thinking)
      case 'messageStop':
        reason = reasons[text(event['stopReason']) ?? ''] ?? 'other'
        return none
      case 'metadata':
        usage = countedUsage(fields(event['usage']) ?? {}, countNames)
        return none
      default:
        return none
    }
  }
  return {
    feed,
    end: () =>
      reason && { type: 'finish', reason, usage, ...(thinking.length > 0 && { reasoningDetails: [...thinking] }) },
  }
}

function grow(block: OpenBlock, delta: Fields, limit: CallLimit): readonly ModelEvent[] {
  const said = text(delta['text'])
  if (said !== undefined) return [{ type: 'text-delta', text: said }]
  const input = text(fields(delta['toolUse'])?.['input']) ?? ''
  limit.grow(input.length)
  block.input += input
  const reasoning = fields(delta['reasoningContent']) ?? {}
  const thought = text(reasoning['text'])
  block.thinking += thought ?? ''
  block.signature += text(reasoning['signature']) ?? ''
  block.redacted += text(reasoning['redactedContent']) ?? ''
  return thought === undefined ? none : [{ type: 'reasoning-delta', text: thought }]
}

function close(open: Map<unknown, OpenBlock>, index: unknown, thinking: ThinkingBlock[]): readonly ModelEvent[] {
  const block = open.get(index)
  open.delete(index)
  if (block?.call) return [{ type: 'tool-call', call: { ...block.call, arguments: block.input } }]
  if (block?.signature) thinking.push({ type: 'thinking', thinking: block.thinking, signature: block.signature })
  if (block?.redacted) thinking.push({ type: 'redacted_thinking', data: block.redacted })
  return none
}
