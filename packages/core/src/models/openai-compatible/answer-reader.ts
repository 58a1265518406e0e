import type { FinishReason, ModelEvent, ToolSchema, Usage } from '../model.ts'
import type { ToolCall } from '../transcript.ts'
import type { CallLimit } from '../wire/call-limit.ts'
import type { Fields } from '../wire/json-fields.ts'
import { createCallAssembly, newCallId } from './call-assembly.ts'
import type { CallDelta, Chunk } from './chunk.ts'
import type { Dialect } from './dialect.ts'
import { createInlineCallSplitter } from './inline-calls/splitter.ts'
import type { InlinePiece } from './inline-calls/splitter.ts'
import { createReasoningSplitter } from './inline-reasoning.ts'
import type { TextPiece } from './inline-reasoning.ts'
import { joinReasoningDetails, readableReasoning } from './reasoning-details.ts'
import { toUsage } from './usage.ts'

/** Turns the chunks of one answer into events. Throws only what its limit of calls throws. */
export interface AnswerReader {
  feed(chunk: Chunk): readonly ModelEvent[]
  /** The events that the end of the stream completes; `finish` is the last one. */
  end(): readonly ModelEvent[]
  /** Whether anything of an answer has come. */
  readonly hasBegun: boolean
  /** Whether the server said why the answer ended. */
  readonly hasFinished: boolean
}

export function createAnswerReader(dialect: Dialect, tools: readonly ToolSchema[], limit: CallLimit): AnswerReader {
  const assembly = createCallAssembly(limit)
  const reasoning = dialect.inlineReasoning ? createReasoningSplitter() : undefined
  const inline = dialect.inlineCalls && tools.length > 0 ? createInlineCallSplitter(tools) : undefined
  const inlineCalls: ToolCall[] = []
  const details: Fields[] = []
  let usage: Usage | undefined
  let finishReason: string | undefined

  // What the model says passes two filters, where the dialect wants them: reasoning, then calls, are taken out of it.
  const said = (text: string): readonly ModelEvent[] => {
    if (text === '') return none
    return reasoning && !reasoning.isOver ? reasoning.feed(text).flatMap(thoughtOrTold) : told(text)
  }
  const thoughtOrTold = ({ type, text }: TextPiece): readonly ModelEvent[] =>
    type === 'text' ? told(text) : [{ type: 'reasoning-delta', text }]
  const told = (text: string): readonly ModelEvent[] =>
    inline ? held(inline.feed(text), text) : [{ type: 'text-delta', text }]
  const held = (pieces: readonly InlinePiece[], text: string): readonly ModelEvent[] => {
    if (pieces.length === 0) limit.grow(text.length)
    return pieces.map(textOrCall)
  }
  const textOrCall = (piece: InlinePiece): ModelEvent => {
    if (piece.type === 'text') return { type: 'text-delta', text: piece.text }
    const call = { id: newCallId(), name: piece.name, arguments: piece.arguments }
    inlineCalls.push(call)
    return { type: 'tool-call-start', id: call.id, name: call.name }
  }
  const thought = ({ reasoning: plain, reasoningDetails }: Chunk): readonly ModelEvent[] => {
    details.push(...reasoningDetails)
    const text = plain || reasoningDetails.map(readableReasoning).join('')
    return text === '' ? none : [{ type: 'reasoning-delta', text }]
  }
  const called = (piece: CallDelta): readonly ModelEvent[] => {
    const started = assembly.add(piece)
    return started ? [{ type: 'tool-call-start', ...started }] : none
  }

  const reader = {
    hasBegun: false,
    hasFinished: false,
    feed: (chunk: Chunk) => {
      if (chunk.usage) usage = toUsage(chunk.usage)
      finishReason = chunk.finishReason ?? finishReason
      reader.hasFinished = finishReason !== undefined
      reader.hasBegun ||= chunk.text !== '' || chunk.reasoning !== '' || chunk.calls.length > 0 || chunk.refusal !== ''
      const { calls, refusal, reasoning: plain, reasoningDetails } = chunk
      // Nearly all chunks are a word of the answer and nothing else.
      const isWord = calls.length === 0 && refusal === '' && plain === '' && reasoningDetails.length === 0
      if (isWord) return said(chunk.text)
      return [...thought(chunk), ...said(chunk.text), ...said(refusal), ...calls.flatMap(called)]
    },
    end: (): readonly ModelEvent[] => {
      const last = [...(reasoning?.end().flatMap(thoughtOrTold) ?? none), ...(inline?.end().map(textOrCall) ?? none)]
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
  return reader
}

const none: readonly ModelEvent[] = []

/** Why an answer ended, in the words that the transcript knows. Servers often say `stop` for calls. */
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
