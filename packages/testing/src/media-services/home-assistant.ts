// Home Assistant's REST API as its developers' documentation describes it:
// https://developers.home-assistant.io/docs/api/rest
import { z } from 'zod'
import { bareRoute, ok, route, startStandIn } from '../memory-services/stand-in.ts'
import type { Reply, StandInService } from '../memory-services/stand-in.ts'

export interface StandInEntity {
  readonly entity_id: string
  readonly state: string
  readonly attributes?: Readonly<Record<string, unknown>>
}

/** A stand-in of Home Assistant. */
export interface StandInHomeAssistant extends StandInService {
  readonly token: string
  /** Services that were called, with their data. */
  readonly calls: readonly { readonly service: string; readonly data: Readonly<Record<string, unknown>> }[]
  stateOf(entityId: string): string | undefined
}

/** What a service makes of a state. */
const results: Readonly<Record<string, string>> = {
  turn_on: 'on',
  turn_off: 'off',
  unlock: 'unlocked',
  lock: 'locked',
  open_cover: 'open',
  close_cover: 'closed',
  alarm_disarm: 'disarmed',
}

export async function startHomeAssistant(
  entities: readonly StandInEntity[],
  token = 'hass-stand-in-token',
): Promise<StandInHomeAssistant> {
  const states = new Map(entities.map((entity) => [entity.entity_id, entity.state]))
  const calls: { service: string; data: Readonly<Record<string, unknown>> }[] = []
  const time = '2026-01-02T03:04:05.678901+00:00'
  const shown = ({ entity_id, attributes = {} }: StandInEntity) => ({
    entity_id,
    state: states.get(entity_id) ?? 'unknown',
    attributes,
    last_changed: time,
    last_reported: time,
    last_updated: time,
    context: { id: '01', parent_id: null, user_id: null },
  })
  const notFound: Reply = { status: 404, body: { message: 'Entity not found.' } }
  const service = await startStandIn(
    [
      bareRoute('GET', '/api/states', () => ok(entities.map(shown))),
      bareRoute('GET', '/api/states/:id', ({ params }) => {
        const found = entities.find(({ entity_id: id }) => id === params['id'])
        return found ? ok(shown(found)) : notFound
      }),
      bareRoute('GET', '/api/services', () =>
        ok([
          {
            domain: 'light',
            services: {
              turn_on: {
                name: 'Turn on',
                description: 'Turns on a light.',
                fields: { brightness: { name: 'Brightness', description: 'From 0 to 255.', selector: {} } },
              },
              turn_off: { name: 'Turn off', description: 'Turns off a light.', fields: {} },
            },
          },
          { domain: 'scene', services: { apply: { description: 'Applies a scene.' } } },
        ]),
      ),
      route('POST', '/api/services/:domain/:service', z.looseObject({}), ({ params, body }) => {
        const { domain = '', service: name = '' } = params
        if (name === 'fail') return { status: 400, body: { message: `Service ${domain}.${name} not found` } }
        calls.push({ service: `${domain}.${name}`, data: body })
        const named = body['entity_id']
        const ids = Array.isArray(named) ? named : [named]
        const touched = entities.filter(({ entity_id: id }) => ids.includes(id))
        for (const { entity_id: id } of touched) states.set(id, results[name] ?? 'unknown')
        return ok(touched.map(shown))
      }),
    ],
    {
      authorize: (headers) =>
        headers.authorization === `Bearer ${token}` ? undefined : { status: 401, body: { message: 'Unauthorized' } },
      notFound,
      invalid: (error) => ({ status: 400, body: { message: z.prettifyError(error) } }),
    },
  )
  return Object.assign(service, { token, calls, stateOf: (id: string) => states.get(id) })
}
