import { fields, list, objects, text } from '../wire/json-fields.ts'
import type { Fields } from '../wire/json-fields.ts'

/** What one chunk adds to an answer. */
export interface Chunk {
  readonly text: string
  /** A refusal, in the model's words; part of what it says. */
  readonly refusal: string
  readonly reasoning: string
  readonly reasoningDetails: readonly Fields[]
  readonly calls: readonly CallDelta[]
  readonly finishReason: string | undefined
  readonly usage: Fields | undefined
  /** What the server says went wrong. */
  readonly error: unknown
}

/** A piece of a tool call. */
export interface CallDelta {
  readonly index: number | undefined
  readonly id: string | undefined
  readonly name: string | undefined
  readonly arguments: string
  readonly extra: Fields | undefined
}

/** Reads a chunk of the stream, or a whole completion, which has `message` in place of `delta`. */
export function toChunk(chunk: Fields): Chunk {
  const choice = fields(list(chunk['choices'])[0]) ?? {}
  const delta = fields(choice['delta']) ?? fields(choice['message']) ?? {}
  const { content } = delta
  return {
    text: typeof content === 'string' ? content : partText(content, 'text'),
    refusal: text(delta['refusal']) ?? '',
    reasoning: text(delta['reasoning_content']) ?? text(delta['reasoning']) ?? partText(content, 'thinking'),
    reasoningDetails: objects(delta['reasoning_details']),
    calls: objects(delta['tool_calls']).map(callDelta),
    finishReason: text(choice['finish_reason']),
    // Moonshot counts in the choice.
    usage: fields(chunk['usage']) ?? fields(choice['usage']),
    error: chunk['error'] ?? choice['error'] ?? undefined,
  }
}

function callDelta(call: Fields): CallDelta {
  const named = fields(call['function'])
  const { index } = call
  return {
    index: typeof index === 'number' ? index : undefined,
    id: text(call['id']),
    name: text(named?.['name']),
    arguments: argumentText(named?.['arguments']),
    extra: fields(call['extra_content']),
  }
}

/** Some servers send the arguments as an object instead of its text. */
function argumentText(value: unknown): string {
  if (typeof value === 'string') return value
  return value === null || value === undefined ? '' : JSON.stringify(value)
}

/** The text of a content that comes in parts, as Mistral's servers send it when the model thinks. */
function partText(content: unknown, kind: 'text' | 'thinking'): string {
  return list(content)
    .map((part) => {
      const { type, [kind]: value } = fields(part) ?? {}
      if (type !== kind) return ''
      return typeof value === 'string' ? value : partText(value, 'text')
    })
    .join('')
}
