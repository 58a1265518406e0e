import type { Environment } from '@hermes/core/agent/context.ts'
import type { Config } from '@hermes/core/config/schema.ts'
import { isLoopback } from '@hermes/core/models/net/address.ts'
import { z } from 'zod'
import { extraProblem } from '../extra-problem.ts'
import type { PlatformSetup } from '../platform.ts'
import { routesSchema } from './route.ts'
import type { WebhookRoute } from './route.ts'
import { noAuthentication } from './signature.ts'

export interface WebhookSettings {
  /** Address that is listened on. */
  readonly host: string
  readonly port: number
  /** Of routes that have none of their own. */
  readonly secret: string
  readonly routes: Readonly<Record<string, WebhookRoute>>
  /** Requests of one route in a minute. */
  readonly ratePerMinute: number
  readonly maxBodyBytes: number
}

/** `platforms.webhook.extra`. */
const extraSchema = z.looseObject({
  host: z.string().default('0.0.0.0'),
  port: z.coerce.number('it is no port').int('it is no port').min(0).max(65_535).default(8644),
  secret: z.string().default(''),
  routes: routesSchema.default({}),
  rate_limit: z.coerce.number().int().positive().default(30),
  max_body_bytes: z.coerce.number().int().positive().default(1_048_576),
})

/** Settings of webhooks; they listen where they are switched on. */
export function readSettings(config: Config, environment: Environment): PlatformSetup<WebhookSettings> {
  const own = config.platforms['webhook']
  const switched = environment['WEBHOOK_ENABLED']?.trim().toLowerCase()
  const isOn = switched ? ['true', '1', 'yes', 'on'].includes(switched) : own?.enabled === true
  if (!isOn) return { state: 'absent' }
  const port = environment['WEBHOOK_PORT']?.trim()
  const secret = environment['WEBHOOK_SECRET']?.trim()
  const parsed = extraSchema.safeParse({ ...own?.extra, ...(port && { port }), ...(secret && { secret }) })
  if (!parsed.success) return { state: 'incomplete', reason: extraProblem('webhook', parsed.error) }
  const { host, routes, rate_limit: ratePerMinute, max_body_bytes: maxBodyBytes } = parsed.data
  const settings = { host, port: parsed.data.port, secret: parsed.data.secret, routes, ratePerMinute, maxBodyBytes }
  const open = Object.entries(routes).find(([, route]) => secretOf(route, settings) === '')
  if (!open) return { state: 'ready', settings }
  return {
    state: 'incomplete',
    reason: `the route "${open[0]}" has no secret. Set WEBHOOK_SECRET, or a secret of its own.`,
  }
}

/** What a route's requests are signed with: nothing where they are all to be refused. */
export function secretOf({ secret }: WebhookRoute, settings: Pick<WebhookSettings, 'host' | 'secret'>): string {
  const found = secret?.trim() || settings.secret
  return found === noAuthentication && !isOnlyHere(settings.host) ? '' : found
}

/** Whether nobody else's machine reaches that address. */
export function isOnlyHere(host: string): boolean {
  return host === '::1' || (host !== '0.0.0.0' && isLoopback(host))
}
