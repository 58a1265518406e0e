import { z } from 'zod'
import type { ModelInfo } from '../model.ts'

const whole = z.int().positive().nullish().catch(undefined)

const text = z.string().nullish().catch(undefined)

const listing = z.object({
  data: z.array(
    z.object({
      id: text,
      slug: text,
      context_length: whole,
      loaded_context_length: whole,
      max_model_len: whole,
      context_window: whole,
      max_context_length: whole,
      max_completion_tokens: whole,
      top_provider: z.object({ context_length: whole, max_completion_tokens: whole }).nullish().catch(undefined),
      meta: z.object({ n_ctx: whole, n_ctx_train: whole }).nullish().catch(undefined),
      capabilities: z
        .object({
          type: text,
          limits: z.object({ max_context_window_tokens: whole, max_output_tokens: whole }).nullish().catch(undefined),
        })
        .nullish()
        .catch(undefined),
      model_picker_enabled: z.boolean().nullish().catch(undefined),
      policy: z.object({ state: text }).nullish().catch(undefined),
    }),
  ),
})

/**
 * Reads `GET /models`. The window has a name of its own at OpenRouter, LM Studio, vLLM, Groq, Mistral, GitHub and llama.cpp;
 * OpenAI and Ollama do not tell it. The ChatGPT backend lists `models` by their `slug`.
 */
export function parseModels(body: unknown): readonly ModelInfo[] | undefined {
  const parsed = listing.safeParse(inData(body))
  if (!parsed.success) return undefined
  return parsed.data.data.flatMap((model) => {
    const id = model.id ?? model.slug
    if (!id || isClosed(model)) return []
    const { meta, top_provider: top, capabilities } = model
    const contextLength =
      model.loaded_context_length ??
      top?.context_length ??
      model.context_length ??
      model.max_model_len ??
      model.context_window ??
      model.max_context_length ??
      capabilities?.limits?.max_context_window_tokens ??
      meta?.n_ctx ??
      meta?.n_ctx_train
    const maxOutputTokens =
      top?.max_completion_tokens ?? model.max_completion_tokens ?? capabilities?.limits?.max_output_tokens
    return {
      id,
      ...(contextLength && { contextLength }),
      ...(maxOutputTokens && { maxOutputTokens }),
    }
  })
}

type Listed = z.infer<typeof listing>['data'][number]

/** GitHub lists models that make no text, that its own programs do not offer, or that the account has not agreed to. */
function isClosed({ capabilities, model_picker_enabled: isOffered, policy }: Listed): boolean {
  const isOther = capabilities?.type !== undefined && capabilities?.type !== null && capabilities.type !== 'chat'
  return isOther || isOffered === false || policy?.state === 'disabled' || policy?.state === 'unconfigured'
}

function inData(body: unknown): unknown {
  const models = typeof body === 'object' && body !== null && 'models' in body ? body.models : undefined
  return models === undefined ? body : { data: models }
}
