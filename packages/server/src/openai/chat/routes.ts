import type { Route } from '../../http/exchange.ts'
import { idempotencyKey, namedSession } from '../api.ts'
import type { Api } from '../api.ts'
import { readChatRequest } from './chat-request.ts'
import { complete } from './completion.ts'
import { streamCompletion } from './stream.ts'

/** `POST /v1/chat/completions`. https://platform.openai.com/docs/api-reference/chat */
export function chatRoutes(api: Api, maxBodyBytes: number): readonly Route[] {
  return [
    {
      method: 'POST',
      path: '/v1/chat/completions',
      maxBodyBytes,
      async handle(exchange) {
        const request = readChatRequest(await exchange.json())
        const named = namedSession(exchange.headers, request.sessionId, api.settings)
        if (request.isStream) await streamCompletion(exchange, api, request, named)
        else await complete(exchange, api, request, { named, key: idempotencyKey(exchange.headers) })
      },
    },
  ]
}
