import { agentView } from '@hermes/core/agent/agent-view.ts'
import type { AgentContext } from '@hermes/core/agent/context.ts'
import { createIdempotentRuns } from '../http/idempotency.ts'
import type { Api } from './api.ts'
import { collectAtRest } from './collect-at-rest.ts'
import { chatRoutes } from './chat/routes.ts'
import { jobRoutes } from './jobs/routes.ts'
import { listen } from './listen.ts'
import { responseRoutes } from './responses/routes.ts'
import { createResponseStore } from './responses/response-store.ts'
import { runRoutes } from './runs/routes.ts'
import { createRuns } from './runs/runs.ts'
import { checkExposure } from './settings.ts'
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

/** Of requests that carry images, bytes. */
const maxImageBodyBytes = 40_000_000

/** Starts it. Throws `ApiServerError`. */
export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const { settings, keepAliveMs = 30_000 } = options
  const agent = agentView(() => options.agent, { log: options.agent.log.child({ name: 'server' }) })
  await checkExposure(settings)
  const now = () => agent.clock.now()
  const rest = collectAtRest()
  const api: Api = {
    agent,
    settings,
    turns: createApiTurns(agent, rest),
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
  const warming = warmUp(agent)
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
      // What still ran has told it of its end.
      rest[Symbol.dispose]()
      await responses[Symbol.asyncDispose]()
    },
  }
}
