import { storageProblem } from '@hermes/core/storage/storage-problem.ts'
import type { Route } from '../http/exchange.ts'
import type { Api } from './api.ts'

export interface ServerCounts {
  /** Runs that go on. */
  readonly runs: number
}

/** Whether it lives, what it does, and the one model that it has. */
export function statusRoutes({ agent, settings, turns }: Api, counts: () => ServerCounts): readonly Route[] {
  const startedAt = agent.clock.now()
  const health: Route['handle'] = async (exchange) => exchange.send(200, { status: 'ok', platform: 'hermes-agent' })
  const model = {
    id: settings.modelName,
    object: 'model',
    created: Math.floor(startedAt / 1000),
    owned_by: 'hermes',
    permission: [],
    root: settings.modelName,
    parent: null,
  }
  return [
    { method: 'GET', path: '/health', isOpen: true, handle: health },
    { method: 'GET', path: '/v1/health', isOpen: true, handle: health },
    {
      method: 'GET',
      path: '/health/detailed',
      async handle(exchange) {
        const problem = await storageProblem(agent.home.dir)
        exchange.send(200, {
          status: problem === undefined ? 'ok' : 'degraded',
          ...(problem !== undefined && { storage_problem: problem }),
          platform: 'hermes-agent',
          pid: process.pid,
          uptime_seconds: Math.floor((agent.clock.now() - startedAt) / 1000),
          active_turns: turns.running,
          active_runs: counts().runs,
          memory_bytes: process.memoryUsage.rss(),
        })
      },
    },
    {
      method: 'GET',
      path: '/v1/models',
      handle: async (exchange) => exchange.send(200, { object: 'list', data: [model] }),
    },
    {
      method: 'GET',
      path: '/v1/models/:id',
      // Whatever a client calls the model, the agent answers.
      handle: async (exchange) => exchange.send(200, model),
    },
  ]
}
