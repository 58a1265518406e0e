import type { ModelRequest } from '../model.ts'
import type { Fields } from '../wire/json-fields.ts'

/** How one server's responses differ from the others'. */
export interface ResponsesDialect {
  /** Whether it takes `max_output_tokens`; the ChatGPT backend does not. */
  readonly limitsOutput: boolean
  /** Whether encrypted reasoning is asked for and sent back. */
  readonly keepsReasoning: boolean
  /** What stands for the system prompt where there is none: the ChatGPT backend refuses calls without. */
  readonly usualInstructions?: string
  /** Where it lists its models, below the base URL, when that is not `/models`. */
  readonly modelsPath?: string
  /** More headers, e.g. with an account's id. */
  readonly headers?: (apiKey: string | undefined, request?: ModelRequest) => Readonly<Record<string, string>>
  /** Body fields that only this server has. */
  readonly extraBody?: (request: ModelRequest) => Fields
}

/** OpenAI's own API; others take what it takes. */
export const ownDialect: ResponsesDialect = {
  limitsOutput: true,
  keepsReasoning: true,
  extraBody: ({ model, priority }) => (priority && hasPriority(model) ? { service_tier: 'priority' } : {}),
}

/** Models that OpenAI serves faster for more money (https://openai.com/api-priority-processing). */
export function hasPriority(model: string): boolean {
  return /^(gpt-4\.1|gpt-4o|gpt-5|o3|o4-mini)/.test(model) && !/nano|chat|pro|audio|realtime|search/.test(model)
}
