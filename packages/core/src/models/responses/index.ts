import type { ModelProvider } from '../model.ts'
import { wireProvider } from '../wire-provider.ts'
import type { Wire, WireProviderOptions } from '../wire-provider.ts'
import { readAnswer } from './read-answer.ts'
import { requestBody } from './request-body.ts'
import type { Leniency, ResponsesDialect } from './request-body.ts'

export interface ResponsesOptions extends WireProviderOptions {
  readonly dialect: ResponsesDialect
  /** Sent with every call, e.g. an account's id. */
  readonly extraHeaders?: Readonly<Record<string, string>>
}

/** OpenAI's Responses API, and the ChatGPT backend that speaks it (https://platform.openai.com/docs/api-reference/responses). */
export function createResponses({ dialect, extraHeaders, ...options }: ResponsesOptions): ModelProvider {
  const wire: Wire<Leniency> = {
    url: (baseUrl) => ({ calls: `${baseUrl}/responses`, models: `${baseUrl}/models` }),
    headers: ({ apiKey }) => ({ ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }), ...extraHeaders }),
    body: (request, learned) => requestBody(request, dialect, learned),
    read: readAnswer,
    // Encrypted reasoning of another account or organisation cannot be read by the server.
    soften: (learned, { status, message }) =>
      !learned.dropReasoning && status === 400 && /encrypted|reasoning|rs_/i.test(message)
        ? { dropReasoning: true }
        : undefined,
    nothingLearned: {},
  }
  return wireProvider(wire, options)
}
