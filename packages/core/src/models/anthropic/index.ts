import type { ModelError } from '../model-error.ts'
import type { ModelProvider } from '../model.ts'
import type { Place } from '../openai-compatible/endpoint.ts'
import { wireProvider } from '../wire-provider.ts'
import type { Wire, WireProviderOptions } from '../wire-provider.ts'
import { readAnswer } from './read-answer.ts'
import { requestBody } from './request-body.ts'
import type { Leniency } from './request-body.ts'

export interface AnthropicOptions extends WireProviderOptions {
  /** Whether this is Anthropic's own API, which knows its newest features; other services that speak it do not. */
  readonly isOwnApi: boolean
}

/** Anthropic's Messages API, and the services that speak it (https://docs.anthropic.com/en/api/messages). */
export function createAnthropic({ isOwnApi, ...options }: AnthropicOptions): ModelProvider {
  const headers = isOwnApi ? ownHeaders : bearerHeaders
  return wireProvider({ ...messagesWire, headers }, options)
}

const messagesWire: Omit<Wire<Leniency>, 'headers'> = {
  url: (baseUrl) => {
    const base = baseUrl.endsWith('/v1') ? baseUrl : `${baseUrl}/v1`
    return { calls: `${base}/messages`, models: `${base}/models?limit=1000` }
  },
  body: requestBody,
  read: readAnswer,
  soften: (learned, refusal) =>
    !learned.dropThinking && isAboutThinking(refusal) ? { dropThinking: true } : undefined,
  nothingLearned: {},
}

/** What every call may use: thinking between calls, arguments streamed as they are written. */
const features = 'interleaved-thinking-2025-05-14,fine-grained-tool-streaming-2025-05-14'

/** Keys of the console go by `x-api-key`; sign-in and setup tokens are bearer tokens. */
function ownHeaders({ apiKey }: Place): Record<string, string> {
  const common = { 'anthropic-version': '2023-06-01', 'anthropic-beta': features }
  if (apiKey === undefined) return common
  if (!isSignInToken(apiKey)) return { ...common, 'x-api-key': apiKey }
  return { ...common, authorization: `Bearer ${apiKey}`, 'anthropic-beta': `${features},oauth-2025-04-20` }
}

function bearerHeaders({ apiKey }: Place): Record<string, string> {
  return { 'anthropic-version': '2023-06-01', ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }) }
}

function isSignInToken(key: string): boolean {
  return /^(sk-ant-oat|eyJ)/.test(key)
}

/** The server does not take earlier thinking (another account's, a changed model's). */
function isAboutThinking({ status, message }: ModelError): boolean {
  return status === 400 && /thinking/i.test(message)
}
