import type { AgentContext } from '@hermes/core/agent/context.ts'
import type { WorkObserver } from '@hermes/core/agent/work-observer.ts'
import type { GatewayService } from '@hermes/gateway/life/service.ts'

/** Metrics of a gateway: what is told to them, and where they are read. */
export interface GatewayMetrics {
  readonly observer: WorkObserver
  readonly service: GatewayService
}

/** Undefined, and nothing of it is loaded, where they are not asked for. */
export async function metricsOf({
  config,
  environment,
}: Pick<AgentContext, 'config' | 'environment'>): Promise<GatewayMetrics | undefined> {
  if (!config.telemetry.metrics.enabled && !environment['HERMES_METRICS_PORT']?.trim()) return undefined
  const { createRegistry } = await import('@hermes/server/metrics/registry.ts')
  const { workMetrics } = await import('@hermes/server/metrics/work-metrics.ts')
  const registry = createRegistry()
  const start: GatewayService['start'] = async (agent) => {
    const { readMetricsSettings } = await import('@hermes/server/metrics/settings.ts')
    const { startMetricsServer } = await import('@hermes/server/metrics/start-metrics-server.ts')
    const { readBacklog } = await import('@hermes/gateway/life/backlog.ts')
    const settings = readMetricsSettings({ config, environment })
    const server = await startMetricsServer({
      registry,
      settings,
      log: agent.log.child({ name: 'server.metrics' }),
      backlog: () => readBacklog(agent.home),
      now: () => agent.clock.now(),
    })
    return {
      place: server.url,
      busy: 0,
      drain: async () => {},
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    }
  }
  return {
    observer: workMetrics(registry),
    service: { name: 'metrics', label: 'metrics', isCompanion: true, start },
  }
}
