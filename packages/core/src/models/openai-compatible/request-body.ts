import type { ModelRequest, ToolSchema } from '../model.ts'
import { withCacheMarks } from './cache-marks.ts'
import type { Dialect } from './dialect.ts'
import { toChatMessages } from './messages.ts'
import type { Leniency } from './messages.ts'

/**
 * The body of a streaming chat completion, https://platform.openai.com/docs/api-reference/chat/create. What grows from
 * call to call comes last. `toolsOf`: the tools as they were written before.
 */
export function requestBody(
  request: ModelRequest,
  dialect: Dialect,
  leniency: Leniency = {},
  toolsOf: (tools: readonly ToolSchema[]) => unknown = (all) => wireTools(all, dialect),
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
      tools: toolsOf(tools),
      ...(toolChoice === 'none' && { tool_choice: 'none' }),
    }),
    messages: dialect.cacheMarks?.(model) ? withCacheMarks(messages) : messages,
  }
}

/** Tools as the wire has them. */
export function wireTools(tools: readonly ToolSchema[], dialect: Dialect) {
  return tools.map(({ name, description, parameters }) => {
    const shown = dialect.toolParameters?.(parameters) ?? parameters
    return { type: 'function', function: { name, description, parameters: shown } }
  })
}
