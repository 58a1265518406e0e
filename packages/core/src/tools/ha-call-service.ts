import { z } from 'zod'
import { answering } from '../home-assistant/answer.ts'
import type { HomeAssistant } from '../home-assistant/client.ts'
import { checkEntityId, checkService, entityIds } from '../home-assistant/ids.ts'
import { HomeAssistantRefusal } from '../home-assistant/refusal.ts'
import { serviceDangers } from '../home-assistant/service-dangers.ts'
import { askConsent } from '../security/consent/consent.ts'
import { defineTool } from './tool.ts'
import type { ToolContext } from './tool.ts'

const input = z.object({
  domain: z.string().describe('e.g. light, climate, scene'),
  service: z.string().describe('e.g. turn_on, set_temperature'),
  entity_id: z.string().optional().describe('What it is done to, e.g. light.kitchen'),
  data: z.string().optional().describe('Further fields as a JSON object, e.g. {"brightness": 120}'),
})

export const haCallService = defineTool({
  name: 'ha_call_service',
  toolset: 'homeassistant',
  description:
    'Switch or change a device of Home Assistant by calling a service, e.g. light.turn_on. ha_list_services says what there is. Locks, alarms, garages and gates need the consent of the user, who is asked.',
  input,
  concurrency: 'exclusive',
  isRare: true,
  preview: ({ domain, service, entity_id: id }) => `${domain}.${service}${id ? ` ${id}` : ''}`,
  run: (args, context) =>
    answering(context, async (home, signal) => {
      const call = readCall(args)
      const note = await consentTo(call, home, context)
      const changed = await home.call(call, signal)
      return {
        success: true,
        service: `${call.domain}.${call.service}`,
        affected_entities: changed.map(({ entity_id, state }) => ({ entity_id, state })),
        ...(note !== undefined && { note }),
      }
    }),
})

interface Call {
  readonly domain: string
  readonly service: string
  /** Everything that it may reach. */
  readonly entities: readonly string[]
  readonly isOpen: boolean
  readonly body: Readonly<Record<string, unknown>>
}

/** Fields that name devices without saying which. */
const openTargets = ['area_id', 'device_id', 'floor_id', 'label_id', 'target']

function readCall({ domain, service, entity_id: id, data }: z.infer<typeof input>): Call {
  checkService(domain, service)
  const fields = parseData(data)
  const named = [...entityIds(id), ...entityIds(fields['entity_id'])]
  const hasAll = named.includes('all')
  const entities = named.filter((one) => one !== 'all' && one !== 'none').map(checkEntityId)
  const isOpen = hasAll || openTargets.some((name) => name in fields)
  const target = hasAll ? 'all' : entities.length === 1 ? entities[0] : entities
  const { entity_id: _given, ...rest } = fields
  // A scene that is made up on the spot brings states of its own.
  const states = z.record(z.string(), z.unknown()).safeParse(fields['entities'])
  const staged = states.success ? Object.keys(states.data).map(checkEntityId) : entityIds(fields['entities'])
  return {
    domain,
    service,
    entities: [...entities, ...staged],
    isOpen,
    body: { ...rest, ...((hasAll || entities.length > 0) && { entity_id: target }) },
  }
}

function parseData(text: string | undefined): Readonly<Record<string, unknown>> {
  if (text === undefined || text.trim() === '') return {}
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (error) {
    throw new HomeAssistantRefusal(`data is no JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
  const object = z.record(z.string(), z.unknown()).safeParse(parsed)
  if (!object.success) throw new HomeAssistantRefusal('data is no JSON object, like {"brightness": 120}.')
  return object.data
}

/** What the person said, for the model. Throws where it was no. */
async function consentTo(call: Call, home: HomeAssistant, context: ToolContext): Promise<string | undefined> {
  const stateOf = (id: string) => home.state(id, context.signal)
  const dangers = await serviceDangers({ ...call, stateOf })
  const where = call.isOpen ? JSON.stringify(call.body) : call.entities.join(', ')
  const subject = `Home Assistant: ${call.domain}.${call.service} ${where}`.trim()
  const keys = dangers.map((key) => ({ key, permanent: true }))
  const consent = await askConsent({ kind: 'tool', subject, dangers: keys }, context)
  if (!consent.allowed) throw new HomeAssistantRefusal(consent.message, 'denied')
  return consent.note
}
