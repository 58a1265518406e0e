import { z } from 'zod'
import { repositoryTrust } from '../../guard/policy.ts'
import { bundleName } from '../bundle.ts'
import { HubError } from '../hub-error.ts'
import { hourMs } from '../index-cache.ts'
import { matching } from '../match.ts'
import { repositoryBundle } from '../repository-skills.ts'
import type { SkillSource, SourceContext } from '../source.ts'
import { parseJson, requireOk } from '../web.ts'

const prefix = 'hermes-index/'

const schema = z.looseObject({
  skills: z.array(
    z.looseObject({
      name: z.string(),
      description: z.string().catch(''),
      /** `owner/name` on GitHub and the folder in it. */
      repo: z.string(),
      path: z.string().catch(''),
    }),
  ),
})

/**
 * One JSON file that lists skills of many repositories, at `HERMES_SKILLS_INDEX_URL`: a team's own catalogue. It only
 * says where they are; how far one is trusted is decided by its repository.
 */
export function indexSource(context: SourceContext): SkillSource {
  const url = context.environment['HERMES_SKILLS_INDEX_URL']
  const load = async (signal: AbortSignal) => {
    if (!url) return []
    const { skills } = await context.cache.get(`hermes-index ${url}`, {
      maxAgeMs: 6 * hourMs,
      schema,
      load: async () => parseJson(requireOk(await context.web.send({ url }, signal), 'index of skills'), schema),
    })
    return skills.filter(({ repo }) => /^[\w-]+\/[\w.-]+$/.test(repo))
  }
  return {
    name: 'hermes-index',
    accepts: (identifier) => identifier.startsWith(prefix),
    async list(query, limit, signal) {
      const listings = (await load(signal)).map(({ name, description, repo }) => {
        return {
          name: bundleName(name),
          description: description.slice(0, 300).toWellFormed(),
          identifier: prefix + name,
          source: 'hermes-index',
          trust: repositoryTrust(repo),
        }
      })
      return matching(listings, query, limit)
    },
    async fetch(identifier, signal) {
      const name = identifier.slice(prefix.length)
      const entry = (await load(signal)).find((one) => one.name === name)
      if (!entry) throw new HubError('not-found', `The index has no skill "${name}".`)
      const bundle = await repositoryBundle(context, { repository: entry.repo, path: entry.path }, signal)
      return { ...bundle, identifier, source: 'hermes-index' }
    },
  }
}
