import { randomBytes } from 'node:crypto'
import type { FinishReason, ModelEvent, ToolSchema, Usage } from '../model.ts'
import type { ToolCall } from '../transcript.ts'
import { createCallAssembly } from './call-assembly.ts'
import type { Chunk, Delta } from './chunk.ts'
import type { Dialect } from './dialect.ts'
import { createInlineCallSplitter } from './inline-calls/splitter.ts'
import type { InlineCallSplitter, InlinePiece } from './inline-calls/splitter.ts'
import { createReasoningSplitter } from './inline-reasoning.ts'
import { joinReasoningDetails, readableReasoning } from './reasoning-details.ts'
import { toUsage } from './usage.ts'

/** Turns the chunks of one answer into events. Pure: it neither waits nor throws. */
export interface AnswerReader {
  feed(chunk: Chunk): readonly ModelEvent[]
  /** The events that the end of the stream completes; `finish` is the last one. */
  end(): readonly ModelEvent[]
  /** Whether anything of an answer has come. */
  readonly hasBegun: boolean
  /** Whether the server said why the answer ended. */
  readonly hasFinished: boolean
}

export function createAnswerReader(dialect: Dialect, tools: readonly ToolSchema[]): AnswerReader {
  const assembly = createCallAssembly()
  const reasoning = dialect.inlineReasoning ? createReasoningSplitter() : undefined
  let inline: InlineCallSplitter | undefined =
    dialect.inlineCalls && tools.length > 0 ? createInlineCallSplitter(tools) : undefined
  const inlineCalls: ToolCall[] = []
  const details: Readonly<Record<string, unknown>>[] = []
  let usage: Usage | undefined
  let finishReason: string | undefined
  let hasBegun = false

  const spoken = (pieces: readonly InlinePiece[]): ModelEvent[] =>
    pieces.flatMap((piece): ModelEvent[] => {
      if (piece.type === 'text') return [{ type: 'text-delta', text: piece.text }]
      const call = { id: `call_${randomBytes(12).toString('hex')}`, name: piece.name, arguments: piece.arguments }
      inlineCalls.push(call)
      return [{ type: 'tool-call-start', id: call.id, name: call.name }]
    })
  const said = (text: string): ModelEvent[] => {
    if (text === '') return []
    return inline ? spoken(inline.feed(text)) : [{ type: 'text-delta', text }]
  }
  const texted = (text: string): ModelEvent[] => {
    if (!reasoning) return said(text)
    return reasoning
      .feed(text)
      .flatMap((piece) =>
        piece.type === 'text' ? said(piece.text) : [{ type: 'reasoning-delta' as const, text: piece.text }],
      )
  }
  const thought = (delta: Delta): ModelEvent[] => {
    details.push(...(delta.reasoning_details ?? []))
    const plain = delta.reasoning_content || delta.reasoning || partText(delta.content, 'thinking')
    const text = plain || (delta.reasoning_details ?? []).map(readableReasoning).join('')
    return text === '' ? [] : [{ type: 'reasoning-delta', text }]
  }
  const called = (delta: Delta): ModelEvent[] =>
    (delta.tool_calls ?? []).flatMap((piece) => {
      const started = assembly.add(piece)
      return started ? [{ type: 'tool-call-start' as const, ...started }] : []
    })
  const flushed = (): ModelEvent[] => {
    const held = reasoning
      ?.end()
      .flatMap((piece): ModelEvent[] =>
        piece.type === 'text' ? said(piece.text) : [{ type: 'reasoning-delta', text: piece.text }],
      )
    const last = inline ? spoken(inline.end()) : []
    inline = undefined
    return [...(held ?? []), ...last]
  }

  return {
    get hasBegun() {
      return hasBegun
    },
    get hasFinished() {
      return finishReason !== undefined
    },
    feed: (chunk) => {
      if (chunk.usage) usage = toUsage(chunk.usage)
      const choice = chunk.choices?.[0]
      if (!choice) return []
      if (choice.usage) usage = toUsage(choice.usage)
      if (choice.finish_reason) finishReason = choice.finish_reason
      const delta = choice.delta ?? choice.message
      if (!delta) return []
      const events = [...thought(delta), ...texted(partText(delta.content, 'text')), ...called(delta)]
      const refusal = delta.refusal ? said(delta.refusal) : []
      hasBegun ||= events.length > 0 || refusal.length > 0
      return [...events, ...refusal]
    },
    end: () => {
      const last = flushed()
      // A server that reads calls itself may leave them in the text besides.
      const native = assembly.calls()
      const calls = native.length > 0 ? native : inlineCalls
      const reasoningDetails = details.length > 0 ? joinReasoningDetails(details) : undefined
      return [
        ...last,
        ...calls.map((call) => ({ type: 'tool-call' as const, call })),
        { type: 'finish', reason: toFinishReason(finishReason, calls.length > 0), usage, reasoningDetails },
      ]
    },
  }
}

/** Why an answer ended, in the four words that the transcript knows. Servers often say `stop` for calls. */
function toFinishReason(reason: string | undefined, hasCalls: boolean): FinishReason {
  switch (reason) {
    case 'length':
    case 'max_tokens':
      return 'length'
    case 'content_filter':
    case 'refusal':
      return 'content_filter'
    default:
      return hasCalls ? 'tool_calls' : 'stop'
  }
}

/** The text of a content that may come in parts, as Mistral's servers send it when the model thinks. */
function partText(content: Delta['content'], kind: 'text' | 'thinking'): string {
  if (typeof content === 'string') return kind === 'text' ? content : ''
  return (content ?? []).map((part) => textOf(part, kind)).join('')
}

function textOf(part: unknown, kind: 'text' | 'thinking'): string {
  if (typeof part !== 'object' || part === null || !('type' in part) || part.type !== kind) return ''
  const value = (part as Record<string, unknown>)[kind]
  if (typeof value === 'string') return value
  return Array.isArray(value) ? value.map((inner) => textOf(inner, 'text')).join('') : ''
}
