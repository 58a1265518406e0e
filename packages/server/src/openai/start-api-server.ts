import type { IncomingMessage } from 'node:http'
import { agentView } from '@hermes/core/agent/agent-view.ts'
import type { AgentContext } from '@hermes/core/agent/context.ts'
import { checkHost, corsHeaders, createKeyCheck } from '../http/access.ts'
import type { Route } from '../http/exchange.ts'
import { HttpError } from '../http/http-error.ts'
import { createIdempotentRuns } from '../http/idempotency.ts'
import { observedRequests } from '../http/observed-requests.ts'
import { startHttpServer } from '../http/server.ts'
import type { HttpServer } from '../http/server.ts'
import type { Api } from './api.ts'
import { chatRoutes } from './chat/routes.ts'
import { errorBody } from './error-body.ts'
import { jobRoutes } from './jobs/routes.ts'
import { responseRoutes } from './responses/routes.ts'
import { createResponseStore } from './responses/response-store.ts'
import { runRoutes } from './runs/routes.ts'
import { createRuns } from './runs/runs.ts'
import { ApiServerError, checkExposure } from './settings.ts'
import type { ApiServerSettings } from './settings.ts'
import { statusRoutes } from './status-routes.ts'
import { createApiTurns } from './turns/api-turn.ts'
import { createApiSessions } from './turns/sessions.ts'
import { warmUp } from './warm-up.ts'

export interface ApiServerOptions {
  readonly agent: AgentContext
  readonly settings: ApiServerSettings
  /** Silence after which streams say that they go on, ms. Default 30 s. */
  readonly keepAliveMs?: number
}

/** The OpenAI-compatible server. Disposing of it ends what runs. */
export interface ApiServer extends AsyncDisposable {
  /** e.g. `http://127.0.0.1:8642`. */
  readonly url: string
  /** The same, as the gateway shows it. */
  readonly place: string
  readonly port: number
  /** Turns that run now. */
  readonly busy: number
  /** Takes no new turns and waits for those that run, at most so long. */
  drain(timeoutMs: number): Promise<void>
}

/** Of requests that carry images, and of all others, bytes. */
const maxImageBodyBytes = 40_000_000
const maxBodyBytes = 1_000_000

/** Starts it. Throws `ApiServerError`. */
export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const { settings, keepAliveMs = 30_000 } = options
  const agent = agentView(() => options.agent, { log: options.agent.log.child({ name: 'server' }) })
  await checkExposure(settings)
  const now = () => agent.clock.now()
  const api: Api = {
    agent,
    settings,
    turns: createApiTurns(agent),
    sessions: createApiSessions(agent),
    idempotent: createIdempotentRuns(now),
    keepAliveMs,
  }
  const responses = createResponseStore(agent.home, now)
  const runs = createRuns(api, responses)
  const routes = [
    ...statusRoutes(api, () => ({ runs: runs.running })),
    ...chatRoutes(api, maxImageBodyBytes),
    ...responseRoutes(api, responses, maxImageBodyBytes),
    ...runRoutes(api, runs, maxImageBodyBytes),
    ...jobRoutes(agent),
  ]
  const server = await listen(api, routes)
  const { host } = settings
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${server.port}`
  const warming = warmUp(agent, url)
  return {
    url,
    place: url,
    port: server.port,
    get busy() {
      return api.turns.running
    },
    drain: (timeoutMs) => api.turns.drain(timeoutMs),
    async [Symbol.asyncDispose]() {
      warming[Symbol.dispose]()
      await Promise.all([server[Symbol.asyncDispose](), runs[Symbol.asyncDispose]()])
      await responses[Symbol.asyncDispose]()
    },
  }
}

async function listen({ agent, settings }: Api, routes: readonly Route[]): Promise<HttpServer> {
  const { host, port, key, corsOrigins } = settings
  const isRightKey = createKeyCheck(key)
  const admit = (request: IncomingMessage, route: Route | undefined) => {
    const { headers } = request
    if (key === '') checkHost(headers, host)
    const cors = corsHeaders(headers, corsOrigins)
    if (key !== '' && !route?.isOpen && request.method !== 'OPTIONS' && !isRightKey(headers.authorization)) {
      throw new HttpError(401, 'invalid_api_key', 'The key is wrong or missing.', {
        headers: { ...cors, 'www-authenticate': 'Bearer' },
      })
    }
    return cors
  }
  try {
    const around = observedRequests(agent)
    return await startHttpServer({ host, port, routes, log: agent.log, admit, errorBody, maxBodyBytes, around })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'EADDRINUSE') {
      const remedy = 'End that program, or set API_SERVER_PORT.'
      throw new ApiServerError('port-in-use', `Something listens on port ${port} already. ${remedy}`, { cause: error })
    }
    throw new ApiServerError('cannot-listen', `The API server cannot listen on ${host}:${port}: ${String(error)}`, {
      cause: error,
    })
  }
}
