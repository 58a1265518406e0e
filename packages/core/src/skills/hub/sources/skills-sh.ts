import { z } from 'zod'
import { repositoryTrust } from '../../guard/policy.ts'
import { checkedRepository } from '../github.ts'
import { HubError } from '../hub-error.ts'
import { hourMs } from '../index-cache.ts'
import { repositoryBundle } from '../repository-skills.ts'
import type { SkillSource, SourceContext } from '../source.ts'
import { parseJson, requireOk } from '../web.ts'

// https://skills.sh/api/search?q=…&limit=… finds skills in repositories of GitHub, where they are fetched from.

const prefix = 'skills-sh/'

const schema = z.object({
  skills: z.array(
    z.looseObject({
      id: z.string(),
      name: z.string(),
      skillId: z.string().optional(),
      installs: z.number().nullish(),
      source: z.string().nullish(),
      topSource: z.string().nullish(),
    }),
  ),
})

/** The directory skills.sh. */
export function skillsSh(context: SourceContext): SkillSource {
  const base = (context.environment['HERMES_SKILLS_SH_URL'] || 'https://skills.sh').replace(/\/+$/, '')
  return {
    name: 'skills-sh',
    accepts: (identifier) => identifier.startsWith(prefix),
    async list(query, limit, signal) {
      if (query.trim().length < 2) return []
      const url = `${base}/api/search?q=${encodeURIComponent(query.trim())}&limit=${limit}`
      const { skills } = await context.cache.get(url, {
        maxAgeMs: hourMs,
        schema,
        load: async () => parseJson(requireOk(await context.web.send({ url }, signal), 'search'), schema),
      })
      return skills.flatMap(({ name, skillId, source, topSource, installs }) => {
        const repository = source ?? topSource
        if (!repository || !/^[\w-]+\/[\w.-]+$/.test(repository)) return []
        return [
          {
            name,
            description: `From ${repository}${installs ? `, installed ${installs} times` : ''}`,
            identifier: `${prefix}${repository}/${skillId ?? name}`,
            source: 'skills-sh',
            trust: repositoryTrust(repository),
            details: { installs: installs ?? 0 },
          },
        ]
      })
    },
    async fetch(identifier, signal) {
      const [owner = '', name = '', ...path] = identifier.slice(prefix.length).split('/')
      if (path.length === 0)
        throw new HubError('invalid', `"${identifier}" names no skill: write skills-sh/owner/name/skill.`)
      const repository = checkedRepository(`${owner}/${name}`)
      const bundle = await repositoryBundle(context, { repository, path: path.join('/') }, signal)
      return { ...bundle, identifier, source: 'skills-sh' }
    },
  }
}
