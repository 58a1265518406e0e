import type { ReasoningEffort } from '../model.ts'
import { openAiEffort, plainDialect } from '../openai-compatible/dialect.ts'
import { ownDialect } from '../responses/dialect.ts'
import { isGpt5 } from './gpt-5.ts'
import { variables } from './provider.ts'
import type { ProviderFacts } from './provider.ts'

// Servers that people run themselves. They find nothing wrong with a missing key, and their models may leave reasoning
// and tool calls in the text when the server was started without the parser for them.

const base = { needsKey: false, speaks: { chat: plainDialect } } as const

/** Ollama, asked for a context window of `numCtx` when one is given: its own default is a few thousand tokens. */
export function ollama(numCtx?: number): ProviderFacts {
  return {
    ...base,
    name: 'ollama',
    label: 'Ollama',
    keys: variables('OLLAMA_API_KEY'),
    baseUrl: 'http://127.0.0.1:11434/v1',
    localPort: 11_434,
    speaks: {
      chat: {
        ...plainDialect,
        reasoning: ollamaEffort,
        extraBody: () => (numCtx === undefined ? {} : { options: { num_ctx: numCtx } }),
      },
    },
  }
}

export const lmStudio: ProviderFacts = {
  ...base,
  name: 'lmstudio',
  label: 'LM Studio',
  keys: variables('OPENAI_API_KEY'),
  baseUrl: 'http://127.0.0.1:1234/v1',
  localPort: 1234,
}

export const llamaCpp: ProviderFacts = {
  ...base,
  name: 'llamacpp',
  label: 'llama.cpp',
  keys: variables('LLAMA_API_KEY', 'OPENAI_API_KEY'),
  baseUrl: 'http://127.0.0.1:8080/v1',
  localPort: 8080,
}

export const vllm: ProviderFacts = {
  ...base,
  name: 'vllm',
  label: 'vLLM',
  keys: variables('VLLM_API_KEY', 'OPENAI_API_KEY'),
  baseUrl: 'http://127.0.0.1:8000/v1',
  localPort: 8000,
}

/** Any other server; the person says where. */
export const custom: ProviderFacts = {
  ...base,
  name: 'custom',
  label: 'Custom endpoint',
  // A key goes to an endpoint of the person's own choice only where it was meant for any.
  keys: [
    { name: 'OLLAMA_API_KEY', host: 'ollama.com' },
    { name: 'OPENROUTER_API_KEY', host: 'openrouter.ai' },
    { name: 'OPENAI_API_KEY' },
    { name: 'CUSTOM_API_KEY' },
  ],
  baseUrlVariable: 'OPENAI_BASE_URL',
  baseUrl: undefined,
  // Most servers have chat completions alone.
  speaks: { chat: plainDialect, responses: ownDialect },
  wireFor: (model) => (isGpt5(model) ? 'responses' : 'chat'),
  mayHaveChatOnly: true,
}

/** `none` turns thinking off for every model; other steps are an error for models that do not think. */
function ollamaEffort(model: string, effort: ReasoningEffort | undefined): Readonly<Record<string, unknown>> {
  if (effort === 'none' && !/gpt-oss/i.test(model)) return { reasoning_effort: 'none' }
  return openAiEffort(model, effort)
}
