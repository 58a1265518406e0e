import type { ModelRequest, ReasoningEffort } from '../model.ts'
import { openAiStep } from '../openai-effort.ts'
import type { Fields } from '../wire/json-fields.ts'
import type { ResponsesDialect } from './dialect.ts'
import { toInputItems } from './input-items.ts'

/** What the server turned out not to take, and is left out of a second try. */
export interface Leniency {
  readonly dropReasoning?: boolean
}

/**
 * The body of a streaming call, https://platform.openai.com/docs/api-reference/responses/create. Nothing is stored there;
 * what grows from call to call comes last.
 */
export function requestBody(
  request: ModelRequest,
  dialect: ResponsesDialect,
  { dropReasoning = false }: Leniency = {},
): Fields {
  const { messages, tools, toolChoice, maxOutputTokens, reasoningEffort, sessionId } = request
  const model = request.model.replace(/^openai\//, '')
  const system = messages[0]?.role === 'system' ? messages[0].content : ''
  const instructions = system || dialect.usualInstructions
  const keepReasoning = dialect.keepsReasoning && !dropReasoning
  const reasoning = reasoningField(model, reasoningEffort)
  return {
    model,
    stream: true,
    store: false,
    ...(reasoning && { reasoning }),
    ...(reasoning && keepReasoning && { include: ['reasoning.encrypted_content'] }),
    ...(dialect.limitsOutput && maxOutputTokens !== undefined && { max_output_tokens: maxOutputTokens }),
    ...(sessionId !== undefined && { prompt_cache_key: sessionId }),
    ...dialect.extraBody?.(request),
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
    ...(instructions !== undefined && { instructions }),
    input: toInputItems(messages, keepReasoning),
  }
}

/** Families that reason, in the steps that each has; others answer 400 to `reasoning`. */
function reasoningField(model: string, effort: ReasoningEffort = 'medium'): Fields | undefined {
  const step = openAiStep(model, effort) ?? (/codex|gpt-[6-9]/.test(model) ? effort : undefined)
  return step && { effort: step === 'minimal' ? 'low' : step, summary: 'auto' }
}
