import { z } from 'zod'
import { answering } from '../home-assistant/answer.ts'
import type { ServiceDomain } from '../home-assistant/client.ts'
import { defineTool } from './tool.ts'

export const haListServices = defineTool({
  name: 'ha_list_services',
  toolset: 'homeassistant',
  description: 'List the services (actions) of Home Assistant by domain, with what they take.',
  input: z.object({ domain: z.string().optional().describe('Only those of one domain, e.g. light') }),
  concurrency: 'parallel',
  isRare: true,
  preview: ({ domain }) => domain?.trim() || 'all services',
  run: ({ domain }, context) =>
    answering(context, async (home, signal) => {
      const wanted = domain?.trim().toLowerCase()
      const domains = (await home.services(signal)).filter((one) => !wanted || one.domain === wanted)
      return { count: domains.length, domains: domains.map(shown) }
    }),
})

function shown({ domain, services }: ServiceDomain) {
  const entries = Object.entries(services).map(([name, { description, fields }]) => {
    const described = Object.entries(fields ?? {}).map(([field, about]) => [field, about.description ?? ''])
    const hasFields = described.length > 0
    return [name, { description: description ?? '', ...(hasFields && { fields: Object.fromEntries(described) }) }]
  })
  return { domain, services: Object.fromEntries(entries) }
}
