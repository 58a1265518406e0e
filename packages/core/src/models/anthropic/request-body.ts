import type { ModelRequest } from '../model.ts'
import type { BlockMessage } from '../wire/alternating.ts'
import type { MessagesDialect } from './dialect.ts'
import { toMessages } from './messages.ts'
import type { Block } from './messages.ts'
import { possibleEffort, thinkingFields } from './thinking.ts'

/** What the server turned out not to take, and is left out of a second try. */
export interface Leniency {
  readonly dropThinking?: boolean
}

const mark = { cache_control: { type: 'ephemeral' } } as const

/** Messages at the end that are marked for the cache; with tools and system these are the four marks allowed. */
const markedMessages = 2

/**
 * The body of a streaming call, https://docs.anthropic.com/en/api/messages. Tools, system and last messages are cached;
 * what grows from call to call comes last.
 */
export function requestBody(
  request: ModelRequest,
  dialect: MessagesDialect,
  leniency: Leniency = {},
): Readonly<Record<string, unknown>> {
  const model = dialect.wireModel(request.model)
  const limit = dialect.outputLimit(model)
  const thinking = thinkingFields(
    model,
    leniency.dropThinking ? undefined : possibleEffort(request),
    Math.min(request.maxOutputTokens ?? limit, limit),
    limit,
  )
  const system = request.messages[0]?.role === 'system' ? request.messages[0].content : ''
  return {
    model,
    stream: true,
    ...thinking,
    ...dialect.extraBody?.(request),
    ...toolFields(request),
    ...(system.trim() !== '' && { system: [{ type: 'text', text: system, ...mark }] }),
    messages: marked(toMessages(request.messages, !leniency.dropThinking)),
  }
}

function toolFields({ tools, toolChoice }: ModelRequest): Readonly<Record<string, unknown>> {
  if (tools.length === 0) return {}
  const schemas = tools.map(({ name, description, parameters }, at) => ({
    name,
    description,
    input_schema: parameters,
    ...(at === tools.length - 1 && mark),
  }))
  return { tools: schemas, ...(toolChoice === 'none' && { tool_choice: { type: 'none' } }) }
}

/** The last block of each of the last messages, thinking left out: it cannot carry a mark. */
function marked(messages: readonly BlockMessage<Block>[]): readonly BlockMessage<Block>[] {
  return messages.map((message, at) =>
    at < messages.length - markedMessages ? message : { ...message, content: withMark(message.content) },
  )
}

function withMark(blocks: readonly Block[]): readonly Block[] {
  const last = blocks.findLastIndex((block) => !block.type.includes('thinking'))
  return blocks.map((block, at) => (at === last ? { ...block, ...mark } : block))
}
