import type { AgentContext } from '@hermes/core/agent/context.ts'
import { z } from 'zod'
import { isExposed } from '../http/exposure.ts'

/** How metrics can be read. */
export interface MetricsSettings {
  readonly host: string
  /** 0: any free one. */
  readonly port: number
  /** Empty: none is asked for, which is for loopback alone. */
  readonly token: string
}

/** Metrics cannot be served; the message says what to change. */
export class MetricsError extends Error {
  override readonly name = 'MetricsError'
  readonly code: 'bad-setting' | 'no-token' | 'cannot-listen'

  constructor(code: MetricsError['code'], message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}

const portNumber = z.coerce.number().int().min(0).max(65_535)

/** What the environment and `telemetry.metrics` say, in this order. Throws `MetricsError`. */
export function readMetricsSettings({
  config,
  environment,
}: Pick<AgentContext, 'config' | 'environment'>): MetricsSettings {
  const { host, port, token } = config.telemetry.metrics
  const named = environment['HERMES_METRICS_PORT']?.trim()
  const parsed = portNumber.safeParse(named || port)
  if (!parsed.success) {
    throw new MetricsError('bad-setting', 'HERMES_METRICS_PORT must be a whole number from 0 to 65535.')
  }
  return { host, port: parsed.data, token: environment['HERMES_METRICS_TOKEN']?.trim() || token }
}

/** Refuses to let strangers in. Throws `MetricsError`. */
export async function checkMetricsExposure({ host, token }: MetricsSettings): Promise<void> {
  if (token !== '' || !(await isExposed(host))) return
  throw new MetricsError(
    'no-token',
    `Metrics would be readable on ${host} by anybody. Set HERMES_METRICS_TOKEN, or telemetry.metrics.host to 127.0.0.1.`,
  )
}
