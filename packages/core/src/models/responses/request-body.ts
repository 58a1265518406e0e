import type { ModelRequest, ReasoningEffort } from '../model.ts'
import { toInputItems } from './input-items.ts'

/** What the server turned out not to take, and is left out of a second try. */
export interface Leniency {
  readonly dropReasoning?: boolean
}

/** How one server's responses differ from the others'. */
export interface ResponsesDialect {
  /** Whether it takes `max_output_tokens`; the ChatGPT backend does not. */
  readonly limitsOutput: boolean
  /** Whether encrypted reasoning is asked for and sent back. */
  readonly keepsReasoning: boolean
}

/** The body of a streaming call, https://platform.openai.com/docs/api-reference/responses/create. Nothing is stored there. */
export function requestBody(
  request: ModelRequest,
  dialect: ResponsesDialect,
  { dropReasoning = false }: Leniency = {},
): Readonly<Record<string, unknown>> {
  const { model, messages, tools, toolChoice, maxOutputTokens, reasoningEffort, sessionId } = request
  const system = messages[0]?.role === 'system' ? messages[0].content : ''
  const keepReasoning = dialect.keepsReasoning && !dropReasoning
  const reasoning = reasons(model) ? reasoningField(reasoningEffort) : undefined
  return {
    model,
    ...(system !== '' && { instructions: system }),
    input: toInputItems(messages, keepReasoning),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, parameters }) => ({
        type: 'function',
        name,
        description,
        parameters,
        strict: false,
      })),
      tool_choice: toolChoice ?? 'auto',
      parallel_tool_calls: true,
    }),
    ...(reasoning && { reasoning }),
    ...(reasoning && keepReasoning && { include: ['reasoning.encrypted_content'] }),
    ...(dialect.limitsOutput && maxOutputTokens !== undefined && { max_output_tokens: maxOutputTokens }),
    ...(sessionId !== undefined && { prompt_cache_key: sessionId }),
    store: false,
    stream: true,
  }
}

/** Families that reason; others answer 400 to `reasoning`. */
function reasons(model: string): boolean {
  return /(^|\/)(o[134](-|$)|gpt-5(?!.*chat)|gpt-[6-9]|codex)/.test(model.toLowerCase())
}

function reasoningField(effort: ReasoningEffort | undefined): Readonly<Record<string, unknown>> {
  const wanted = effort === 'minimal' ? 'low' : effort
  return { effort: wanted ?? 'medium', summary: 'auto' }
}
