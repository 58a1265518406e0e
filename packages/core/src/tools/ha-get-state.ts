import { z } from 'zod'
import { answering } from '../home-assistant/answer.ts'
import { checkEntityId } from '../home-assistant/ids.ts'
import { HomeAssistantRefusal } from '../home-assistant/refusal.ts'
import { defineTool } from './tool.ts'

export const haGetState = defineTool({
  name: 'ha_get_state',
  toolset: 'homeassistant',
  description: 'The state of one entity of Home Assistant with all its attributes (brightness, temperature …).',
  input: z.object({ entity_id: z.string().describe('e.g. light.kitchen, from ha_list_entities') }),
  concurrency: 'parallel',
  isRare: true,
  preview: ({ entity_id: id }) => id,
  run: ({ entity_id: id }, context) =>
    answering(context, async (home, signal) => {
      const found = await home.state(checkEntityId(id.trim()), signal)
      if (!found) throw new HomeAssistantRefusal(`There is no entity ${id}. ha_list_entities lists them.`)
      const { entity_id, state, attributes, last_changed, last_updated } = found
      return { entity_id, state, attributes, last_changed, last_updated }
    }),
})
