// Home Assistant's REST API: https://developers.home-assistant.io/docs/api/rest
import { z } from 'zod'
import type { Environment } from '../agent/context.ts'
import { createServiceClient, servicePath } from '../services/service-client.ts'
import { ServiceError } from '../services/service-error.ts'

const state = z.looseObject({
  entity_id: z.string(),
  state: z.string(),
  attributes: z.record(z.string(), z.unknown()).default({}),
  last_changed: z.string().nullish(),
  last_updated: z.string().nullish(),
})

export type EntityState = z.infer<typeof state>

const field = z.looseObject({ description: z.string().nullish() })
const service = z.looseObject({
  description: z.string().nullish(),
  fields: z.record(z.string(), field).nullish(),
})
const serviceDomain = z.looseObject({ domain: z.string(), services: z.record(z.string(), service) })

export type ServiceDomain = z.infer<typeof serviceDomain>

export interface ServiceCall {
  readonly domain: string
  readonly service: string
  readonly body: Readonly<Record<string, unknown>>
}

/** Every method throws `ServiceError`, or the reason of its signal. */
export interface HomeAssistant {
  states(signal: AbortSignal): Promise<readonly EntityState[]>
  /** Undefined where there is no such entity. */
  state(entityId: string, signal: AbortSignal): Promise<EntityState | undefined>
  services(signal: AbortSignal): Promise<readonly ServiceDomain[]>
  /** Resolves to what changed while the service ran. */
  call(call: ServiceCall, signal: AbortSignal): Promise<readonly EntityState[]>
}

const defaultUrl = 'http://homeassistant.local:8123'
const readMs = 10_000
const listMs = 15_000

/** Reached by its own address at home, never through a proxy. Throws `ServiceError` `unconfigured`. */
export function openHomeAssistant(environment: Environment): HomeAssistant {
  const key = environment['HASS_TOKEN']?.trim()
  if (!key) throw new ServiceError('unconfigured', 'HASS_TOKEN is not set: put a long-lived access token into .env.')
  const client = createServiceClient({
    service: 'Home Assistant',
    baseUrl: environment['HASS_URL']?.trim() || defaultUrl,
    auth: { scheme: 'Bearer', key },
    keyHint: 'Check HASS_TOKEN in .env.',
    timeoutMs: readMs,
  })
  return {
    states: (signal) => client.call(z.array(state), { path: '/api/states', timeoutMs: listMs }, signal),
    async state(entityId, signal) {
      try {
        return await client.call(state, { path: servicePath`/api/states/${entityId}` }, signal)
      } catch (error) {
        if (error instanceof ServiceError && error.status === 404) return undefined
        throw error
      }
    },
    services: (signal) => client.call(z.array(serviceDomain), { path: '/api/services' }, signal),
    call: ({ domain, service: name, body }, signal) =>
      client.call(
        z.array(state),
        { method: 'POST', path: servicePath`/api/services/${domain}/${name}`, body, timeoutMs: listMs },
        signal,
      ),
  }
}
