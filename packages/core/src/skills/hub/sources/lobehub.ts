import { z } from 'zod'
import { bundleName, checkedBundle } from '../bundle.ts'
import { hourMs } from '../index-cache.ts'
import { matching } from '../match.ts'
import type { SkillSource, SourceContext } from '../source.ts'
import { parseJson, requireOk } from '../web.ts'

// The agents of LobeHub, https://github.com/lobehub/lobe-chat-agents: roles for a model, which become skills of one file.

const prefix = 'lobehub/'

const meta = z.looseObject({
  title: z.string().catch(''),
  description: z.string().catch(''),
  tags: z.array(z.string()).catch([]),
})
const indexSchema = z.object({
  agents: z.array(z.looseObject({ identifier: z.string(), author: z.string().nullish(), meta })),
})
const agentSchema = z.looseObject({
  identifier: z.string(),
  author: z.string().nullish(),
  meta,
  config: z.looseObject({ systemRole: z.string() }),
})

export function lobeHub({ environment, web, cache }: SourceContext): SkillSource {
  const base = (environment['HERMES_SKILLS_LOBEHUB_URL'] || 'https://chat-agents.lobehub.com').replace(/\/+$/, '')
  return {
    name: 'lobehub',
    accepts: (identifier) => identifier.startsWith(prefix),
    async list(query, limit, signal) {
      const { agents } = await cache.get(`lobehub ${base}`, {
        maxAgeMs: 6 * hourMs,
        schema: indexSchema,
        load: async () =>
          parseJson(requireOk(await web.send({ url: `${base}/index.json` }, signal), 'index'), indexSchema),
      })
      const listings = agents.map(({ identifier, meta: { title, description } }) => {
        const text = (description || title).slice(0, 300).toWellFormed()
        return {
          name: bundleName(identifier),
          description: text,
          identifier: prefix + identifier,
          source: 'lobehub',
          trust: 'community' as const,
        }
      })
      return matching(listings, query, limit)
    },
    async fetch(identifier, signal) {
      const id = identifier.slice(prefix.length)
      const answer = await web.send({ url: `${base}/${encodeURIComponent(id)}.json` }, signal)
      const agent = parseJson(requireOk(answer, `agent ${id}`), agentSchema)
      const files = new Map([['SKILL.md', Buffer.from(asSkill(bundleName(id), agent))]])
      return checkedBundle({
        name: bundleName(id),
        identifier,
        source: 'lobehub',
        trust: 'community',
        files,
        metadata: {},
      })
    },
  }
}

/** JSON texts are valid YAML, whatever stands in them. */
function asSkill(
  name: string,
  { meta: { title, description, tags }, author, config }: z.infer<typeof agentSchema>,
): string {
  return [
    '---',
    `name: ${name}`,
    `description: ${JSON.stringify((description || title || name).slice(0, 1_000).toWellFormed())}`,
    ...(author ? [`author: ${JSON.stringify(author)}`] : []),
    `metadata: ${JSON.stringify({ hermes: { tags: tags.slice(0, 20) } })}`,
    '---',
    '',
    `# ${title || name}`,
    '',
    'Take on this role for the task at hand:',
    '',
    config.systemRole.trim(),
    '',
  ].join('\n')
}
