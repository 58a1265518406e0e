import type { ModelRequest, ReasoningEffort, ToolSchema } from '../model.ts'
import type { ToolCall } from '../transcript.ts'
import { openAiStep } from '../openai-effort.ts'
import type { Fields } from '../wire/json-fields.ts'

/**
 * How one server's chat completions differ from the others'. Plain facts and small functions: the wire asks, and never
 * looks at the provider's name.
 */
export interface Dialect {
  /** The field that limits an answer's length. */
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens'
  /** Sent with every request. */
  readonly headers?: (request: ModelRequest) => Readonly<Record<string, string>>
  /** Body fields that only this server has, e.g. routing. */
  readonly extraBody?: (request: ModelRequest) => Fields
  /** Body fields that ask for an effort of reasoning; `effort` is undefined when nobody chose one. */
  readonly reasoning?: (model: string, effort: ReasoningEffort | undefined) => Fields
  /** What of its earlier reasoning the model gets back. */
  readonly replay: (model: string) => ReasoningReplay
  /** Whether the system prompt goes under the role `developer`. */
  readonly developerRole?: (model: string) => boolean
  /** Whether parts of the prompt are marked for the provider's cache (Anthropic's models). */
  readonly cacheMarks?: (model: string) => boolean
  /** The arguments of a tool as the server takes them: some know a part of JSON Schema only. */
  readonly toolParameters?: (parameters: ToolSchema['parameters']) => Fields
  /** The id of a call as the server takes it, where it is particular; always the same for the same id. */
  readonly callId?: (id: string) => string
  /** What goes back with a call, where it is not just what came with it. */
  readonly callExtra?: (call: ToolCall, model: string) => Fields | undefined
  /** Said for the model between a tool's result and a person's message, where the server refuses to see them side by side. */
  readonly betweenResultAndUser?: string
  /** Whether the server refuses message fields that it does not know. */
  readonly strictFields?: boolean
  /** Whether reasoning may stand in the text between tags, as servers without a reasoning parser leave it. */
  readonly inlineReasoning: boolean
  /** Whether tool calls may stand in the text as the model was trained to write them. */
  readonly inlineCalls: boolean
}

/** `details`: `reasoning_details` unchanged, else the text. `content`: the text as `reasoning_content`. */
export type ReasoningReplay = 'details' | 'content' | 'none'

/** Most chat servers: nothing that an older or simpler one would refuse. */
export const plainDialect: Dialect = {
  maxTokensField: 'max_tokens',
  reasoning: openAiEffort,
  replay: (model) => (wantsReasoningContent(model) ? 'content' : 'none'),
  inlineReasoning: true,
  inlineCalls: true,
}

/** `reasoning_effort` for the families that take it. */
export function openAiEffort(model: string, effort: ReasoningEffort | undefined): Fields {
  const step = effort && openAiStep(model, effort)
  return step === undefined ? {} : { reasoning_effort: step }
}

/**
 * Families that think between tool calls and want that thinking back in the same conversation
 * (https://api-docs.deepseek.com/guides/thinking_mode, Kimi K2, GLM 4.5 and later, MiniMax M2).
 */
function wantsReasoningContent(model: string): boolean {
  return /deepseek|kimi|glm-?[4-9]|minimax|mimo/i.test(model)
}
