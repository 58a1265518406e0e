import { randomBytes } from 'node:crypto'
import type { AgentContext } from '@hermes/core/agent/context.ts'
import { unseenAgent } from '@hermes/core/agent/unseen-agent.ts'
import { silentLogger } from '@hermes/core/log/logger.ts'
import { createModels } from '@hermes/core/models/create-models.ts'
import type { Models } from '@hermes/core/models/model.ts'
import { createHttpClient } from '@hermes/core/models/net/http-client.ts'
import type { HttpClient } from '@hermes/core/models/net/http-client.ts'
import type { Route } from '../http/exchange.ts'
import { createIdempotentRuns } from '../http/idempotency.ts'
import { startHttpServer } from '../http/server.ts'
import type { HttpServer } from '../http/server.ts'
import type { Api } from './api.ts'
import { chatRoutes } from './chat/routes.ts'
import { errorBody } from './error-body.ts'
import { listen } from './listen.ts'
import type { ApiServerSettings } from './settings.ts'
import { createApiTurns } from './turns/api-turn.ts'
import { derivedSessionId } from './turns/conversation.ts'
import { createApiSessions } from './turns/sessions.ts'

export interface Rehearsal {
  /** How often it is asked. */
  readonly times: number
  /** Sets of tools whose availability is told without asking anybody. */
  readonly toolsets: readonly string[]
}

/** Longest that one question may take, ms. */
const limitMs = 10_000

const maxBodyBytes = 10_000_000

const here = '127.0.0.1'

/**
 * Asks a server like the real one, which listens for this alone and lets in who has a key that nobody else knows, as a
 * client does; its model is another one that listens for this alone. Nothing is stored, logged or counted, and nobody else
 * is asked. Rejects where there is no answer.
 */
export async function rehearse(
  agent: AgentContext,
  { times, toolsets }: Rehearsal,
  signal: AbortSignal,
): Promise<void> {
  await using model = await startModel()
  const key = randomBytes(24).toString('hex')
  const settings: ApiServerSettings = { host: here, port: 0, key, corsOrigins: [], modelName: 'rehearsal' }
  const config = { ...agent.config, platform_toolsets: { ...agent.config.platform_toolsets, api_server: toolsets } }
  const unseen = unseenAgent({ ...agent, config }, modelsAt(`http://${here}:${model.port}`, agent))
  const api: Api = {
    agent: unseen,
    settings,
    turns: createApiTurns(unseen),
    sessions: createApiSessions(unseen),
    idempotent: createIdempotentRuns(() => agent.clock.now()),
    keepAliveMs: limitMs,
  }
  await using server = await listen(api, chatRoutes(api, maxBodyBytes))
  const http = createHttpClient({})
  for (let time = 0; time < times; time++) {
    signal.throwIfAborted()
    const text = `Hello, ${randomBytes(8).toString('hex')}.`
    try {
      await ask(http, { port: server.port, key, text }, signal)
    } finally {
      await agent.scopes.close(derivedSessionId('', text))
    }
  }
}

/** A model at an address is found as one that the settings name. */
function modelsAt(baseUrl: string, { config, home }: AgentContext): Models {
  const { fallback_model: _fallback, ...others } = config
  const model = {
    ...config.model,
    default: 'rehearsal',
    provider: 'auto',
    base_url: baseUrl,
    api_key: 'none',
    api_mode: '' as const,
  }
  const routing = { ...config.smart_model_routing, enabled: false }
  const settings = { ...others, model, providers: {}, custom_providers: [], fallback_providers: [] }
  return createModels({
    config: { ...settings, smart_model_routing: routing },
    environment: {},
    home,
    log: silentLogger,
  })
}

interface Question {
  readonly port: number
  readonly key: string
  readonly text: string
}

/** By the client that asks models, so that both ends of HTTP are used. */
async function ask(http: HttpClient, { port, key, text }: Question, signal: AbortSignal): Promise<void> {
  const limits = { connectMs: limitMs, silenceMs: limitMs, progressMs: limitMs, totalMs: limitMs }
  const url = `http://${here}:${port}/v1/chat/completions`
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ model: 'rehearsal', messages: [{ role: 'user', content: text }] })
  const answer = await http.send({ method: 'POST', url, headers, body, limits }, signal)
  try {
    const pieces: Uint8Array[] = []
    for await (const piece of answer.body) pieces.push(piece)
    if (answer.status !== 200) throw new Error(`${answer.status}: ${Buffer.concat(pieces).toString()}`)
  } finally {
    answer.release()
  }
}

/** Says the same to everybody, over the wire that most providers speak. */
function startModel(): Promise<HttpServer> {
  const routes: readonly Route[] = [
    { method: 'GET', path: '/models', handle: async (exchange) => exchange.send(200, { object: 'list', data: [] }) },
    {
      method: 'POST',
      path: '/chat/completions',
      async handle(exchange) {
        await exchange.json()
        const stream = exchange.stream({ keepAliveMs: limitMs })
        for (const delta of [{ content: 'Here' }, { content: ' I am.' }]) {
          await stream.send({ choices: [{ index: 0, delta }] })
        }
        await stream.send({
          choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
          usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
        })
        stream.end('data: [DONE]\n\n')
      },
    },
  ]
  return startHttpServer({ host: here, port: 0, routes, log: silentLogger, admit: () => ({}), errorBody, maxBodyBytes })
}
