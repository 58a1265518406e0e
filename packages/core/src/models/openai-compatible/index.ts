import type { ModelError } from '../model-error.ts'
import type { ModelProvider, ModelRequest, ToolSchema } from '../model.ts'
import { createListMemo } from '../../storage/list-memo.ts'
import { WrittenOnce } from '../wire/json-text.ts'
import { wireProvider } from '../wire/wire-provider.ts'
import type { WireProviderOptions } from '../wire/wire-provider.ts'
import type { Dialect } from './dialect.ts'
import { hasBrokenArguments } from './messages.ts'
import type { Leniency } from './messages.ts'
import { readAnswer } from './read-answer.ts'
import { requestBody, wireTools } from './request-body.ts'
import type { WrittenParts } from './request-body.ts'

export interface OpenAiCompatibleOptions extends WireProviderOptions {
  readonly dialect: Dialect
}

/** A provider that speaks OpenAI's chat completions, in its place's dialect. */
export function createOpenAiCompatible({ dialect, ...options }: OpenAiCompatibleOptions): ModelProvider {
  // The same tools and the same prompt stand in nearly every request, and are the larger part of most.
  const knownTools = createListMemo<ToolSchema, WrittenOnce>()
  const knownPrompts = createListMemo<unknown, WrittenOnce>()
  const written: WrittenParts = {
    tools: (tools) => knownTools(tools, () => new WrittenOnce(wireTools(tools, dialect))),
    system: (message) => knownPrompts([message.role, message.content], () => new WrittenOnce(message)),
  }
  return wireProvider<Leniency>(
    {
      callUrl: ({ baseUrl }) => `${baseUrl}/chat/completions`,
      modelsUrl: ({ baseUrl }) => `${baseUrl}/models`,
      headers: ({ apiKey }, request) => ({
        ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
        ...(request && dialect.headers?.(request)),
      }),
      body: (request, learned) => requestBody(request, dialect, learned, written),
      read: (headers, context) => readAnswer(headers, dialect, context),
      soften: softened,
      nothingLearned: {},
    },
    options,
  )
}

/**
 * What to leave out for a server that refused a request: broken arguments of earlier calls, which it reads for its chat
 * template; or earlier reasoning whose signature it does not accept. Undefined when there is nothing left to try.
 */
function softened(learned: Leniency, refusal: ModelError, request: ModelRequest): Leniency | undefined {
  const { status, message } = refusal
  if (status !== 400 && status !== 422 && status !== 500) return undefined
  const isUnclear = refusal.code === 'invalid-request' || refusal.code === 'server'
  if (isUnclear && !learned.dropReasoning && /signature/i.test(message) && /thinking|reasoning/i.test(message)) {
    return { ...learned, dropReasoning: true }
  }
  if (isUnclear && !learned.wrapBrokenArguments && hasBrokenArguments(request.messages)) {
    return { ...learned, wrapBrokenArguments: true }
  }
  return undefined
}
