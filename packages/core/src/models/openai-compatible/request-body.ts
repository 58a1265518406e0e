import type { ModelRequest, ToolSchema } from '../model.ts'
import { withCacheMarks } from './cache-marks.ts'
import type { Dialect } from './dialect.ts'
import { toChatMessages } from './messages.ts'
import type { Leniency } from './messages.ts'

/**
 * The body of a streaming chat completion, https://platform.openai.com/docs/api-reference/chat/create. What grows from
 * call to call comes last. `toolOf`: the tools as they were written before.
 */
export function requestBody(
  request: ModelRequest,
  dialect: Dialect,
  leniency: Leniency = {},
  toolOf?: (tool: ToolSchema) => unknown,
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
      tools: tools.map((tool) => toolOf?.(tool) ?? wireTool(tool, dialect)),
      ...(toolChoice === 'none' && { tool_choice: 'none' }),
    }),
    messages: dialect.cacheMarks?.(model) ? withCacheMarks(messages) : messages,
  }
}

/** A tool as the wire has it. */
export function wireTool({ name, description, parameters }: ToolSchema, dialect: Dialect) {
  const shown = dialect.toolParameters?.(parameters) ?? parameters
  return { type: 'function', function: { name, description, parameters: shown } }
}
