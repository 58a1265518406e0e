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
    }),
  ),
})

/**
 * Reads `GET /models`. The window has a name of its own at OpenRouter, LM Studio, vLLM, Groq, Mistral and llama.cpp;
 * OpenAI and Ollama do not tell it. The ChatGPT backend lists `models` by their `slug`.
 */
export function parseModels(body: unknown): readonly ModelInfo[] | undefined {
  const parsed = listing.safeParse(inData(body))
  if (!parsed.success) return undefined
  return parsed.data.data.flatMap((model) => {
    const id = model.id ?? model.slug
    if (!id) return []
    const { meta, top_provider: top } = model
    const contextLength =
      model.loaded_context_length ??
      top?.context_length ??
      model.context_length ??
      model.max_model_len ??
      model.context_window ??
      model.max_context_length ??
      meta?.n_ctx ??
      meta?.n_ctx_train
    const maxOutputTokens = top?.max_completion_tokens ?? model.max_completion_tokens
    return {
      id,
      ...(contextLength && { contextLength }),
      ...(maxOutputTokens && { maxOutputTokens }),
    }
  })
}

function inData(body: unknown): unknown {
  const models = typeof body === 'object' && body !== null && 'models' in body ? body.models : undefined
  return models === undefined ? body : { data: models }
}
