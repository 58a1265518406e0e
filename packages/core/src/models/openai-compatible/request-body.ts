import type { ModelRequest, ToolSchema } from '../model.ts'
import { withCacheMarks } from './cache-marks.ts'
import type { Dialect } from './dialect.ts'
import { toChatMessages } from './messages.ts'
import type { ChatMessage, Leniency } from './messages.ts'

/** What stands in many requests, as it was written before. */
export interface WrittenParts {
  readonly tools: (tools: readonly ToolSchema[]) => unknown
  readonly system: (message: ChatMessage) => unknown
}

/**
 * The body of a streaming chat completion, https://platform.openai.com/docs/api-reference/chat/create. What grows from
 * call to call comes last.
 */
export function requestBody(
  request: ModelRequest,
  dialect: Dialect,
  leniency: Leniency = {},
  written?: WrittenParts,
): Readonly<Record<string, unknown>> {
  const { model, tools, toolChoice, maxOutputTokens, reasoningEffort } = request
  const messages = toChatMessages(request.messages, model, dialect, leniency)
  return {
    model,
    stream: true,
    stream_options: { include_usage: true },
    ...(maxOutputTokens !== undefined && { [dialect.maxTokensField]: maxOutputTokens }),
    ...dialect.reasoning?.(model, reasoningEffort),
    ...dialect.extraBody?.(request),
    ...(tools.length > 0 && {
      tools: written ? written.tools(tools) : wireTools(tools, dialect),
      ...(toolChoice === 'none' && { tool_choice: 'none' }),
    }),
    messages: dialect.cacheMarks?.(model) ? withCacheMarks(messages) : withSystem(messages, written),
  }
}

/** Longest system prompt that is kept as it was written, characters: more than people and projects say. */
const maxKeptChars = 200_000

function withSystem(messages: readonly ChatMessage[], written: WrittenParts | undefined): readonly unknown[] {
  const [first, ...rest] = messages
  const isSystem = first?.role === 'system' || first?.role === 'developer'
  if (!written || !isSystem || (first.content?.length ?? 0) > maxKeptChars) return messages
  return [written.system(first), ...rest]
}

/** Tools as the wire has them. */
export function wireTools(tools: readonly ToolSchema[], dialect: Dialect) {
  return tools.map(({ name, description, parameters }) => {
    const shown = dialect.toolParameters?.(parameters) ?? parameters
    return { type: 'function', function: { name, description, parameters: shown } }
  })
}
