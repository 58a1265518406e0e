import type { FinishReason, ModelEvent, Usage } from '../model.ts'
import type { Counts, StreamEvent } from './stream-event.ts'
import type { ThinkingBlock } from './thinking-blocks.ts'

/** Turns the stream's events into ours, block by block. */
export interface AnswerReader {
  feed(event: StreamEvent): readonly ModelEvent[]
  /** Whether `message_stop` has come. */
  readonly isOver: boolean
}

interface OpenBlock {
  readonly type: string
  readonly id: string
  readonly name: string
  text: string
  signature: string
}

const reasons: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'content_filter',
}

export function createAnswerReader(): AnswerReader {
  const open = new Map<number, OpenBlock>()
  const thinking: ThinkingBlock[] = []
  const counted: Record<string, number> = {}
  let reason: FinishReason = 'other'
  let isOver = false

  const feed = (event: StreamEvent): readonly ModelEvent[] => {
    switch (event.type) {
      case 'message_start':
        count(counted, event.message.usage)
        return []
      case 'content_block_start':
        return begin(open, event.index, event.content_block)
      case 'content_block_delta':
        return grow(open.get(event.index), event.delta)
      case 'content_block_stop':
        return close(open, event.index, thinking)
      case 'message_delta':
        count(counted, event.usage)
        reason = reasons[event.delta.stop_reason ?? ''] ?? reason
        return []
      case 'message_stop':
        isOver = true
        return [
          {
            type: 'finish',
            reason,
            usage: usageOf(counted),
            ...(thinking.length > 0 && { reasoningDetails: [...thinking] }),
          },
        ]
      case 'error':
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

function begin(open: Map<number, OpenBlock>, index: number, start: Readonly<Record<string, unknown>>): ModelEvent[] {
  const block: OpenBlock = {
    type: text(start['type']),
    id: text(start['id']),
    name: text(start['name']),
    text: text(start['text'] ?? start['thinking'] ?? start['data']),
    signature: text(start['signature']),
  }
  open.set(index, block)
  if (block.type === 'tool_use') return [{ type: 'tool-call-start', id: block.id, name: block.name }]
  return block.text === '' ? [] : shown(block, block.text)
}

function grow(block: OpenBlock | undefined, delta: Readonly<Record<string, unknown>>): ModelEvent[] {
  if (!block) return []
  if (delta['type'] === 'signature_delta') {
    block.signature += text(delta['signature'])
    return []
  }
  const piece = text(delta['text'] ?? delta['thinking'] ?? delta['partial_json'])
  block.text += piece
  return piece === '' ? [] : shown(block, piece)
}

function shown({ type }: OpenBlock, piece: string): ModelEvent[] {
  if (type === 'text') return [{ type: 'text-delta', text: piece }]
  return type === 'thinking' ? [{ type: 'reasoning-delta', text: piece }] : []
}

function close(open: Map<number, OpenBlock>, index: number, thinking: ThinkingBlock[]): ModelEvent[] {
  const block = open.get(index)
  open.delete(index)
  if (block?.type === 'tool_use') {
    return [{ type: 'tool-call', call: { id: block.id, name: block.name, arguments: block.text } }]
  }
  if (block?.type === 'thinking' && block.signature !== '') {
    thinking.push({ type: 'thinking', thinking: block.text, signature: block.signature })
  }
  if (block?.type === 'redacted_thinking') thinking.push({ type: 'redacted_thinking', data: block.text })
  return []
}

/** Counts are running totals: the last one that is told holds. */
function count(counted: Record<string, number>, told: Counts | null | undefined): void {
  for (const [name, value] of Object.entries(told ?? {})) if (typeof value === 'number') counted[name] = value
}

function usageOf(counted: Readonly<Record<string, number>>): Usage {
  return {
    inputTokens: counted['input_tokens'] ?? 0,
    outputTokens: counted['output_tokens'] ?? 0,
    cacheReadTokens: counted['cache_read_input_tokens'] ?? 0,
    cacheWriteTokens: counted['cache_creation_input_tokens'] ?? 0,
    reasoningTokens: 0,
  }
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
