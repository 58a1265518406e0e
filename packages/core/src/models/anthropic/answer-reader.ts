import type { FinishReason, ModelEvent } from '../model.ts'
import type { CallLimit } from '../wire/call-limit.ts'
import { countedUsage } from '../wire/counted-usage.ts'
import { fields } from '../wire/json-fields.ts'
import type { Fields } from '../wire/json-fields.ts'
import type { ThinkingBlock } from './thinking-blocks.ts'

/** Turns the stream's events into ours, block by block. Throws only what its limit of calls throws. */
export interface AnswerReader {
  /** Events of kinds that mean nothing to us (`ping`, later ones) are skipped. */
  feed(event: Fields): readonly ModelEvent[]
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

const countNames = {
  input: 'input_tokens',
  output: 'output_tokens',
  cacheRead: 'cache_read_input_tokens',
  cacheWrite: 'cache_creation_input_tokens',
}

const reasons: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'content_filter',
}

export function createAnswerReader(limit: CallLimit): AnswerReader {
  const open = new Map<unknown, OpenBlock>()
  const thinking: ThinkingBlock[] = []
  /** Running totals: the last one that is told holds. */
  let counted: Fields = {}
  let reason: FinishReason = 'other'

  const finish = (): ModelEvent => ({
    type: 'finish',
    reason,
    usage: countedUsage(counted, countNames),
    ...(thinking.length > 0 && { reasoningDetails: [...thinking] }),
  })
  const feed = (event: Fields): readonly ModelEvent[] => {
    switch (event['type']) {
      case 'message_start':
        counted = { ...counted, ...told(fields(event['message'])?.['usage']) }
        return none
      case 'content_block_start':
        return begin(open, event['index'], fields(event['content_block']) ?? {}, limit)
      case 'content_block_delta':
        return grow(open.get(event['index']), fields(event['delta']) ?? {}, limit)
      case 'content_block_stop':
        return close(open, event['index'], thinking)
      case 'message_delta':
        counted = { ...counted, ...told(event['usage']) }
        reason = reasons[text(fields(event['delta'])?.['stop_reason'])] ?? reason
        return none
      case 'message_stop':
        reader.isOver = true
        return [finish()]
      default:
        return none
    }
  }
  const reader = { feed, isOver: false }
  return reader
}

const none: readonly ModelEvent[] = []

function begin(open: Map<unknown, OpenBlock>, index: unknown, start: Fields, limit: CallLimit): readonly ModelEvent[] {
  const block: OpenBlock = {
    type: text(start['type']),
    id: text(start['id']),
    name: text(start['name']),
    text: text(start['text'] ?? start['thinking'] ?? start['data']),
    signature: text(start['signature']),
  }
  open.set(index, block)
  if (block.type === 'tool_use') {
    limit.begin()
    return [{ type: 'tool-call-start', id: block.id, name: block.name }]
  }
  return block.text === '' ? none : shown(block, block.text)
}

function grow(block: OpenBlock | undefined, delta: Fields, limit: CallLimit): readonly ModelEvent[] {
  if (!block) return none
  if (delta['type'] === 'signature_delta') {
    block.signature += text(delta['signature'])
    return none
  }
  const piece = text(delta['text'] ?? delta['thinking'] ?? delta['partial_json'])
  if (block.type === 'tool_use') limit.grow(piece.length)
  block.text += piece
  return piece === '' ? none : shown(block, piece)
}

function shown({ type }: OpenBlock, piece: string): readonly ModelEvent[] {
  if (type === 'text') return [{ type: 'text-delta', text: piece }]
  return type === 'thinking' ? [{ type: 'reasoning-delta', text: piece }] : none
}

function close(open: Map<unknown, OpenBlock>, index: unknown, thinking: ThinkingBlock[]): readonly ModelEvent[] {
  const block = open.get(index)
  open.delete(index)
  if (block?.type === 'tool_use') {
    return [{ type: 'tool-call', call: { id: block.id, name: block.name, arguments: block.text } }]
  }
  if (block?.type === 'thinking' && block.signature !== '') {
    thinking.push({ type: 'thinking', thinking: block.text, signature: block.signature })
  }
  if (block?.type === 'redacted_thinking') thinking.push({ type: 'redacted_thinking', data: block.text })
  return none
}

/** Counts that are there: what is null says nothing. */
function told(usage: unknown): Fields {
  return Object.fromEntries(Object.entries(fields(usage) ?? {}).filter(([, value]) => typeof value === 'number'))
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
