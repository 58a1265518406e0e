import type { ModelProvider } from '../model.ts'
import { wireProvider } from '../wire/wire-provider.ts'
import type { WireProviderOptions } from '../wire/wire-provider.ts'
import type { ResponsesDialect } from './dialect.ts'
import { readAnswer } from './read-answer.ts'
import { requestBody } from './request-body.ts'
import type { Leniency } from './request-body.ts'

export interface ResponsesOptions extends WireProviderOptions {
  readonly dialect: ResponsesDialect
}

/** OpenAI's Responses API, and the ChatGPT backend that speaks it (https://platform.openai.com/docs/api-reference/responses). */
export function createResponses({ dialect, ...options }: ResponsesOptions): ModelProvider {
  return wireProvider<Leniency>(
    {
      callUrl: ({ baseUrl }) => `${baseUrl}/responses`,
      modelsUrl: ({ baseUrl }) => `${baseUrl}${dialect.modelsPath ?? '/models'}`,
      headers: ({ apiKey }, request) => ({
        ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
        ...dialect.headers?.(apiKey, request),
      }),
      body: (request, learned) => requestBody(request, dialect, learned),
      read: readAnswer,
      // Encrypted reasoning of another account or organisation cannot be read by the server.
      soften: (learned, { status, message }) =>
        !learned.dropReasoning && status === 400 && /encrypted|reasoning|rs_/i.test(message)
          ? { dropReasoning: true }
          : undefined,
      nothingLearned: {},
    },
    options,
  )
}
