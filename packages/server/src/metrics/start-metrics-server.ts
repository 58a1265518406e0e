import type { IncomingMessage } from 'node:http'
import type { Logger } from '@hermes/core/log/logger.ts'
import { checkHost, createKeyCheck } from '../http/access.ts'
import { HttpError } from '../http/http-error.ts'
import { startHttpServer } from '../http/server.ts'
import { backlogMetrics } from './backlog-metrics.ts'
import type { MeasuredBacklog } from './backlog-metrics.ts'
import { processMetrics } from './process-metrics.ts'
import { textFormat } from './registry.ts'
import type { Registry } from './registry.ts'
import { checkMetricsExposure, MetricsError } from './settings.ts'
import type { MetricsSettings } from './settings.ts'

export interface MetricsServerOptions {
  readonly registry: Registry
  readonly settings: MetricsSettings
  readonly log: Logger
  /** What waits in the gateway; asked at each reading. */
  readonly backlog: () => MeasuredBacklog | undefined
  /** Ms since 1970. */
  readonly now: () => number
}

/** Where Prometheus reads. Disposing of it ends it. */
export interface MetricsServer extends AsyncDisposable {
  /** e.g. `http://127.0.0.1:9464/metrics`. */
  readonly url: string
}

/** Starts it. Throws `MetricsError`. */
export async function startMetricsServer(options: MetricsServerOptions): Promise<MetricsServer> {
  const { registry, settings, log, now } = options
  const { host, port, token } = settings
  await checkMetricsExposure(settings)
  const process = processMetrics(registry)
  const backlog = backlogMetrics(registry)
  const isRightToken = createKeyCheck(token)
  const admit = ({ headers }: IncomingMessage) => {
    if (token === '') checkHost(headers, host)
    else if (!isRightToken(headers.authorization)) {
      throw new HttpError(401, 'invalid_token', 'The token is wrong or missing.', {
        headers: { 'www-authenticate': 'Bearer' },
      })
    }
    return {}
  }
  const measure = () => {
    process.update()
    backlog(options.backlog(), now())
    return registry.text()
  }
  try {
    const server = await startHttpServer({
      host,
      port,
      log,
      admit,
      maxBodyBytes: 0,
      errorBody: ({ code, message }) => ({ error: { code, message } }),
      routes: [
        {
          method: 'GET',
          path: '/metrics',
          handle: async (exchange) => exchange.sendText(200, measure(), textFormat),
        },
      ],
    })
    const name = host.includes(':') ? `[${host}]` : host
    return {
      url: `http://${name}:${server.port}/metrics`,
      async [Symbol.asyncDispose]() {
        process[Symbol.dispose]()
        await server[Symbol.asyncDispose]()
      },
    }
  } catch (error) {
    process[Symbol.dispose]()
    throw new MetricsError('cannot-listen', `Metrics cannot be served on ${host}:${port}: ${String(error)}`, {
      cause: error,
    })
  }
}
