import { z } from 'zod'
import { answering } from '../home-assistant/answer.ts'
import type { EntityState } from '../home-assistant/client.ts'
import { defineTool } from './tool.ts'

export const haListEntities = defineTool({
  name: 'ha_list_entities',
  toolset: 'homeassistant',
  description: 'List the entities of Home Assistant (lights, locks, sensors …) with their states.',
  input: z.object({
    domain: z.string().optional().describe('Only these, e.g. light, climate, binary_sensor'),
    area: z.string().optional().describe('Only those of a room, e.g. kitchen'),
  }),
  concurrency: 'parallel',
  isRare: true,
  preview: ({ domain, area }) => [domain, area].filter(Boolean).join(' in ') || 'all entities',
  run: ({ domain, area }, context) =>
    answering(context, async (home, signal) => {
      const wanted = domain?.trim().toLowerCase()
      const entities = (await home.states(signal))
        .filter(({ entity_id: id }) => !wanted || id.startsWith(`${wanted}.`))
        .filter((state) => !area?.trim() || isIn(state, area))
        .map(({ entity_id, state, attributes }) => ({
          entity_id,
          state,
          friendly_name: textOf(attributes, 'friendly_name'),
        }))
      return { count: entities.length, entities }
    }),
})

/** States do not tell of areas, so the name is looked at too, where rooms usually are part of it. */
function isIn({ attributes, entity_id: id }: EntityState, area: string): boolean {
  const words = plain(area)
  return [textOf(attributes, 'friendly_name'), textOf(attributes, 'area'), id].some((text) =>
    plain(text).includes(words),
  )
}

function textOf(attributes: EntityState['attributes'], name: string): string {
  const text = attributes[name]
  return typeof text === 'string' ? text : ''
}

/** `living_room`, `Living Room` and `living-room` are one. */
function plain(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, ' ')
}
