import type { EntityState } from './client.ts'

/** What a service would be done to. */
export interface ServiceTarget {
  readonly domain: string
  readonly service: string
  /** The entities that it names. */
  readonly entities: readonly string[]
  /** It names others in a way that does not tell which: by area, device, floor or label, or all there are. */
  readonly isOpen: boolean
  /** Looks an entity up; undefined where there is none. */
  readonly stateOf: (entityId: string) => Promise<EntityState | undefined>
}

/** Kinds of cover that keep people out, by Home Assistant's `device_class`. */
const barriers: ReadonlySet<unknown> = new Set(['garage', 'gate', 'door'])

/** Services of no device that need consent. */
const rulingServices: Readonly<Record<string, string>> = {
  'homeassistant.stop': 'stop Home Assistant',
  'homeassistant.restart': 'restart Home Assistant',
  'recorder.purge': 'delete the recorded history',
  'recorder.purge_entities': 'delete the recorded history',
  'recorder.disable': 'stop the recording of history',
  'conversation.process': 'have Home Assistant do whatever a sentence says',
  'update.install': 'install an update',
}

/** Domains that speak with devices past everything that Home Assistant knows of them. */
const rawDomains: ReadonlySet<string> = new Set(['mqtt', 'zwave_js', 'zha', 'deconz', 'knx', 'modbus'])

/** Why a service needs consent: each reason once. Empty for what does no harm. */
export async function serviceDangers(target: ServiceTarget): Promise<readonly string[]> {
  const { domain, service, entities, isOpen, stateOf } = target
  const dangers = new Set<string>()
  const ruling = rulingServices[`${domain}.${service}`]
  if (ruling !== undefined) dangers.add(ruling)
  if (rawDomains.has(domain)) dangers.add(`send any message to any device (${domain})`)
  // `homeassistant.turn_on` and the like reach devices of every domain.
  const domains = new Set([domain, ...entities.map((id) => id.split('.')[0] ?? '')])
  const isGeneral = domain === 'homeassistant' && /^(?:turn_on|turn_off|toggle)$/.test(service)
  // Nobody can say what a group holds.
  const mayBe = (name: string) => domains.has(name) || (isGeneral && (isOpen || domains.has('group')))
  if (mayBe('lock') && service !== 'lock') dangers.add('unlock or change a lock')
  if (mayBe('alarm_control_panel') && !service.startsWith('alarm_arm')) dangers.add('disarm or trigger an alarm')
  if (mayBe('valve') && !/^(?:close|stop)_valve$/.test(service)) dangers.add('open a valve')
  if (mayBe('cover') && !/^(?:close|stop)_cover/.test(service)) {
    const covers = entities.filter((id) => id.startsWith('cover.'))
    const isUnknown = isOpen || covers.length === 0
    if (isUnknown || (await someBarrier(covers, stateOf))) dangers.add('open a garage, gate or door')
  }
  return [...dangers]
}

async function someBarrier(covers: readonly string[], stateOf: ServiceTarget['stateOf']): Promise<boolean> {
  const states = await Promise.all(covers.map(stateOf))
  // A group or an entity that is not known may be anything.
  return states.some((state) => state === undefined || barriers.has(state.attributes['device_class']) || isGroup(state))
}

function isGroup({ attributes }: EntityState): boolean {
  return Array.isArray(attributes['entity_id'])
}
