import { z } from 'zod'
import { repositoryTrust } from '../../guard/policy.ts'
import { bundleName } from '../bundle.ts'
import type { SkillListing } from '../bundle.ts'
import { checkedRepository } from '../github.ts'
import { HubError } from '../hub-error.ts'
import { inParallel } from '../in-parallel.ts'
import { hourMs } from '../index-cache.ts'
import { matching } from '../match.ts'
import { repositoryBundle } from '../repository-skills.ts'
import type { SkillSource, SourceContext } from '../source.ts'

// Marketplaces of Claude Code: https://code.claude.com/docs/en/plugin-marketplaces. Of their plugins only skills are
// taken, not commands, hooks or servers.

const prefix = 'claude-marketplace/'
const marketplaces = ['anthropics/skills', 'aiskillstore/marketplace'] as const

const schema = z.looseObject({
  plugins: z.array(
    z.looseObject({
      name: z.string(),
      description: z.string().nullish(),
      source: z.union([z.string(), z.looseObject({ source: z.string(), repo: z.string().optional() })]).nullish(),
      skills: z.union([z.string(), z.array(z.string())]).nullish(),
    }),
  ),
})

const kept = z.array(z.object({ name: z.string(), description: z.string(), path: z.string(), repository: z.string() }))

export function claudeMarketplace(context: SourceContext): SkillSource {
  const { github, cache } = context

  async function listing(repository: string, signal: AbortSignal): Promise<SkillListing[]> {
    const entries = await cache.get(`claude-marketplace ${repository}`, {
      maxAgeMs: hourMs,
      schema: kept,
      load: async () => {
        const tree = await github.tree(repository, undefined, signal)
        const file = tree.files.find(({ path }) => path === '.claude-plugin/marketplace.json')
        if (!file) throw new HubError('not-found', `${repository} is no marketplace.`)
        const text = new TextDecoder().decode(await github.file(repository, tree.commit, file, signal))
        return skillsOf(text, repository)
      },
    })
    return entries.map(({ name, description, path, repository: home }) => {
      return {
        name,
        description,
        identifier: `${prefix}${home}/${path}`,
        source: 'claude-marketplace',
        trust: repositoryTrust(home),
      }
    })
  }

  return {
    name: 'claude-marketplace',
    accepts: (identifier) => identifier.startsWith(prefix),
    async list(query, limit, signal) {
      const failures: HubError[] = []
      const lists = await inParallel(marketplaces, 2, async (repository) => {
        try {
          return await listing(repository, signal)
        } catch (error) {
          if (!(error instanceof HubError)) throw error
          failures.push(error)
          return []
        }
      })
      const [grave] = failures.filter(({ code }) => code !== 'not-found')
      if (grave && lists.flat().length === 0) throw grave
      return matching(lists.flat(), query, limit)
    },
    async fetch(identifier, signal) {
      const [owner = '', name = '', ...path] = identifier.slice(prefix.length).split('/')
      const bundle = await repositoryBundle(
        context,
        { repository: checkedRepository(`${owner}/${name}`), path: path.join('/') },
        signal,
      )
      return { ...bundle, identifier, source: 'claude-marketplace' }
    },
  }
}

function skillsOf(text: string, repository: string): z.infer<typeof kept> {
  const parsed = schema.safeParse(json(text))
  if (!parsed.success)
    throw new HubError('bad-answer', `The marketplace of ${repository} is in a form that is not understood.`)
  return parsed.data.plugins.flatMap(({ name, description, source, skills }) => {
    const home = typeof source === 'object' && source?.source === 'github' && source.repo ? source.repo : repository
    if (!/^[\w-]+\/[\w.-]+$/.test(home)) return []
    const folder = typeof source === 'string' ? source : ''
    const paths = typeof skills === 'string' ? [skills] : (skills ?? [name])
    return paths.map((path) => {
      const place = `${folder}/${path}`
        .split('/')
        .filter((part) => part !== '' && part !== '.' && part !== '..')
        .join('/')
      return {
        name: bundleName(place),
        description: (description ?? '').slice(0, 300).toWellFormed(),
        path: place,
        repository: home,
      }
    })
  })
}

function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
