import type { ModelInfo } from '../model.ts'

// By hand: the first turn of a process asks a server of one's own, and the schema library would cost it 50 ms.

type Fields = Readonly<Record<string, unknown>>

/**
 * Reads `GET /models`. The window has a name of its own at OpenRouter, LM Studio, vLLM, Groq, Mistral, GitHub and llama.cpp;
 * OpenAI and Ollama do not tell it. The ChatGPT backend lists `models` by their `slug`.
 */
export function parseModels(body: unknown): readonly ModelInfo[] | undefined {
  const fields = fieldsOf(body)
  const listed = fields['models'] ?? fields['data']
  if (!Array.isArray(listed) || listed.some((one) => typeof one !== 'object' || one === null)) return undefined
  return listed.flatMap((one: unknown) => {
    const model = fieldsOf(one)
    const id = textOf(model['id']) ?? textOf(model['slug'])
    if (!id || isClosed(model)) return []
    const [meta, top] = [fieldsOf(model['meta']), fieldsOf(model['top_provider'])]
    const limits = fieldsOf(fieldsOf(model['capabilities'])['limits'])
    const contextLength = firstCount(
      model['loaded_context_length'],
      top['context_length'],
      model['context_length'],
      model['max_model_len'],
      model['context_window'],
      model['max_context_length'],
      limits['max_context_window_tokens'],
      meta['n_ctx'],
      meta['n_ctx_train'],
    )
    const maxOutputTokens = firstCount(
      top['max_completion_tokens'],
      model['max_completion_tokens'],
      limits['max_output_tokens'],
    )
    return {
      id,
      ...(contextLength !== undefined && { contextLength }),
      ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    }
  })
}

/** GitHub lists models that make no text, that its own programs do not offer, or that the account has not agreed to. */
function isClosed(model: Fields): boolean {
  const type = textOf(fieldsOf(model['capabilities'])['type'])
  const state = textOf(fieldsOf(model['policy'])['state'])
  const isOther = type !== undefined && type !== 'chat'
  return isOther || model['model_picker_enabled'] === false || state === 'disabled' || state === 'unconfigured'
}

/** The fields of an object; none of anything else. */
function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** The first of the values that is a count of tokens. */
function firstCount(...values: readonly unknown[]): number | undefined {
  return values.find((value): value is number => Number.isSafeInteger(value) && Number(value) > 0)
}
