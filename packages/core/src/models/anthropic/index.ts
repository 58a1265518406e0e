import type { ModelError } from '../model-error.ts'
import type { ModelProvider } from '../model.ts'
import type { Place } from '../wire/place.ts'
import { wireProvider } from '../wire/wire-provider.ts'
import type { WireProviderOptions } from '../wire/wire-provider.ts'
import type { MessagesDialect } from './dialect.ts'
import { readAnswer } from './read-answer.ts'
import { requestBody } from './request-body.ts'
import type { Leniency } from './request-body.ts'

export interface AnthropicOptions extends WireProviderOptions {
  readonly dialect: MessagesDialect
}

/** Anthropic's Messages API, and the services that speak it (https://docs.anthropic.com/en/api/messages). */
export function createAnthropic({ dialect, ...options }: AnthropicOptions): ModelProvider {
  return wireProvider<Leniency>(
    {
      callUrl: (place) => `${versioned(place)}/messages`,
      modelsUrl: (place) => `${versioned(place)}/models?limit=1000`,
      headers: ({ apiKey }, request) => dialect.headers(apiKey, request),
      body: (request, learned) => requestBody(request, dialect, learned),
      read: readAnswer,
      soften: (learned, refusal) =>
        !learned.dropThinking && isAboutThinking(refusal) ? { dropThinking: true } : undefined,
      nothingLearned: {},
    },
    options,
  )
}

function versioned({ baseUrl }: Place): string {
  return baseUrl.endsWith('/v1') ? baseUrl : `${baseUrl}/v1`
}

/** The server does not take earlier thinking (another account's, a changed model's). */
function isAboutThinking({ status, message }: ModelError): boolean {
  return status === 400 && /thinking/i.test(message)
}
