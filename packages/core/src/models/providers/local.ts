import type { ReasoningEffort } from '../model.ts'
import { openAiEffort, plainDialect } from '../openai-compatible/dialect.ts'
import type { ProviderFacts } from './provider.ts'

// Servers that people run themselves. They find nothing wrong with a missing key, and their models may leave reasoning
// and tool calls in the text when the server was started without the parser for them.

const base = { needsKey: false, dialect: plainDialect } as const

/** Ollama, asked for a context window of `numCtx` when one is given: its own default is a few thousand tokens. */
export function ollama(numCtx?: number): ProviderFacts {
  return {
    ...base,
    name: 'ollama',
    label: 'Ollama',
    keyNames: ['OLLAMA_API_KEY'],
    hosts: ['ollama.com'],
    baseUrl: 'http://127.0.0.1:11434/v1',
    localPort: 11_434,
    dialect: {
      ...plainDialect,
      reasoning: ollamaEffort,
      extraBody: () => (numCtx === undefined ? {} : { options: { num_ctx: numCtx } }),
    },
  }
}

export const lmStudio: ProviderFacts = {
  ...base,
  name: 'lmstudio',
  label: 'LM Studio',
  keyNames: ['OPENAI_API_KEY'],
  baseUrl: 'http://127.0.0.1:1234/v1',
  localPort: 1234,
}

export const llamaCpp: ProviderFacts = {
  ...base,
  name: 'llamacpp',
  label: 'llama.cpp',
  keyNames: ['LLAMA_API_KEY', 'OPENAI_API_KEY'],
  baseUrl: 'http://127.0.0.1:8080/v1',
  localPort: 8080,
}

export const vllm: ProviderFacts = {
  ...base,
  name: 'vllm',
  label: 'vLLM',
  keyNames: ['VLLM_API_KEY', 'OPENAI_API_KEY'],
  baseUrl: 'http://127.0.0.1:8000/v1',
  localPort: 8000,
}

/** Any other server that speaks chat completions; the person says where. */
export const custom: ProviderFacts = {
  ...base,
  name: 'custom',
  label: 'The custom endpoint',
  keyNames: ['OPENAI_API_KEY'],
  baseUrlName: 'OPENAI_BASE_URL',
  baseUrl: undefined,
}

/** `none` turns thinking off for every model; other steps are an error for models that do not think. */
function ollamaEffort(model: string, effort: ReasoningEffort | undefined): Readonly<Record<string, unknown>> {
  if (effort === 'none' && !/gpt-oss/i.test(model)) return { reasoning_effort: 'none' }
  return openAiEffort(model, effort)
}
