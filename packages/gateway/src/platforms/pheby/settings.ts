import type { Environment } from '@hermes/core/agent/context.ts'
import type { Config } from '@hermes/core/config/schema.ts'
import { PHEBY_DEFAULT_PORT } from '@hermes/protocol/pheby/constants.ts'
import { z } from 'zod'
import { readOrigins } from '../../http/page-origins.ts'
import { extraProblem } from '../extra-problem.ts'
import type { PlatformSetup } from '../platform.ts'

export interface PhebySettings {
  readonly secret: string
  /** Address that is listened on. */
  readonly host: string
  readonly port: number
  /** Of pages that may connect beside our own. */
  readonly origins: readonly string[]
  /** How long attachments are kept, days; 0: for ever. */
  readonly retentionDays: number
  /** Requests of one connection in a minute, in the long run. */
  readonly requestsPerMinute: number
  readonly helloTimeoutMs: number
  readonly pingMs: number
}

/** `platforms.pheby.extra`. */
const extraSchema = z.looseObject({
  secret: z.string().default(''),
  host: z.string().min(1).default('127.0.0.1'),
  port: z.coerce.number().int().min(0).max(65_535).default(PHEBY_DEFAULT_PORT),
  allowed_origins: z.union([z.string(), z.array(z.string())]).default([]),
  retention_days: z.coerce.number().min(0).max(36_500).default(7),
  rate_limit: z.coerce.number().int().positive().default(600),
  hello_timeout: z.coerce.number().positive().default(10),
  ping_interval: z.coerce.number().positive().default(30),
})

/** Settings of Pheby; it listens where a secret is set. */
export function readSettings(config: Config, environment: Environment): PlatformSetup<PhebySettings> {
  const own = config.platforms['pheby']
  const variable = (name: string) => environment[`PHEBY_${name}`]?.trim() || undefined
  if (own?.enabled === false) return { state: 'absent' }
  const [secret, host, port, retention] = ['SECRET', 'HOST', 'PORT', 'RETENTION_DAYS'].map(variable)
  const parsed = extraSchema.safeParse({
    ...(own?.token && { secret: own.token }),
    ...own?.extra,
    ...(secret && { secret }),
    ...(host && { host }),
    ...(port && { port }),
    ...(retention && { retention_days: retention }),
  })
  if (!parsed.success) return { state: 'incomplete', reason: extraProblem('pheby', parsed.error) }
  const { data } = parsed
  if (data.secret === '') {
    const isMeant = own !== undefined || host !== undefined || port !== undefined || retention !== undefined
    return isMeant ? { state: 'incomplete', reason: 'PHEBY_SECRET is missing.' } : { state: 'absent' }
  }
  return {
    state: 'ready',
    settings: {
      secret: data.secret,
      host: data.host,
      port: data.port,
      origins: readOrigins(variable('ALLOWED_ORIGINS') ?? data.allowed_origins, variable('PUBLIC_URL')),
      retentionDays: data.retention_days,
      requestsPerMinute: data.rate_limit,
      helloTimeoutMs: data.hello_timeout * 1000,
      pingMs: data.ping_interval * 1000,
    },
  }
}
