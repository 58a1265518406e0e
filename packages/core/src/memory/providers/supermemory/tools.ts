import { z } from 'zod'
import type { MemoryProviderTool } from '../../memory-provider.ts'
import { MemoryProviderError } from '../../memory-provider-error.ts'
import { defineProviderTool } from '../provider-tool.ts'
import { profileSections } from './recalled-text.ts'
import type { Metadata, SupermemoryService } from './service.ts'
import type { SupermemorySettings } from './settings.ts'
import { containerTagOf } from './settings.ts'

const search = { defaultLimit: 5, maxLimit: 20 }
const previewChars = 80

/** The tools of upstream, with their names and parameters. */
export function supermemoryTools(
  service: SupermemoryService,
  settings: SupermemorySettings,
): readonly MemoryProviderTool[] {
  const { containers, containerTag } = settings
  const words = z.string().trim().min(1)
  const container = z
    .string()
    .optional()
    .describe(`Container: ${containers.join(', ')}. Default ${containerTag}.`)
  /** Only where there is a choice. */
  const choice = containers.length > 1 ? { container_tag: container } : {}

  const chosen = (args: object): string => {
    const wanted = 'container_tag' in args && typeof args.container_tag === 'string' ? args.container_tag.trim() : ''
    if (wanted === '') return containerTag
    const tag = containerTagOf(wanted)
    if (containers.includes(tag)) return tag
    throw new MemoryProviderError('invalid', `container_tag must be one of ${containers.join(', ')}.`)
  }
  const named = (tag: string) => (tag === containerTag ? {} : { container_tag: tag })

  return [
    defineProviderTool({
      name: 'supermemory_store',
      description: 'Keep something in long-term memory.',
      concurrency: 'exclusive',
      input: z.object({
        content: words.describe('What to keep.'),
        metadata: z.record(z.string(), z.unknown()).optional().describe('What else to note of it.'),
        ...choice,
      }),
      run: async (args, signal) => {
        const { content, metadata = {} } = args
        const tag = chosen(args)
        const id = await service.add(content, { type: categoryOf(content), ...flat(metadata) }, tag, signal)
        const preview = content.length > previewChars ? `${content.slice(0, previewChars).toWellFormed()}...` : content
        return { saved: true, id, preview, ...named(tag) }
      },
    }),
    defineProviderTool({
      name: 'supermemory_search',
      description: 'Search long-term memory by meaning; best first.',
      concurrency: 'parallel',
      input: z.object({
        query: words.describe('What to search for.'),
        limit: z.int().default(search.defaultLimit).describe(`Most results, 1 to ${search.maxLimit}.`),
        ...choice,
      }),
      run: async (args, signal) => {
        const tag = chosen(args)
        const limit = Math.min(Math.max(args.limit, 1), search.maxLimit)
        const found = await service.search(args.query, limit, tag, signal)
        const results = found.map(({ id, text, similarity }) => ({
          id,
          content: text,
          ...(similarity !== undefined && { similarity: Math.round(similarity * 100) }),
        }))
        return { results, count: results.length, ...named(tag) }
      },
    }),
    defineProviderTool({
      name: 'supermemory_forget',
      description: 'Forget a memory: the one with an id, or the one that fits a query best.',
      concurrency: 'exclusive',
      input: z.object({
        id: z.string().trim().optional().describe('Id of the memory.'),
        query: z.string().trim().optional().describe('Finds the memory to forget.'),
        ...choice,
      }),
      run: async (args, signal) => {
        const tag = chosen(args)
        if (args.id) {
          await service.forget(args.id, tag, signal)
          return { forgotten: true, id: args.id }
        }
        if (!args.query) return { error: 'Give id or query.' }
        const [best] = await service.search(args.query, search.defaultLimit, tag, signal)
        if (!best || best.id === '') return { success: false, message: 'No matching memory found to forget.' }
        await service.forget(best.id, tag, signal)
        return { success: true, message: `Forgot: "${best.text.slice(0, 100).toWellFormed()}"`, id: best.id }
      },
    }),
    defineProviderTool({
      name: 'supermemory_profile',
      description: 'What is known of the user: lasting facts and what was of late.',
      concurrency: 'parallel',
      input: z.object({ query: z.string().trim().optional().describe('What the answer should be about.'), ...choice }),
      run: async (args, signal) => {
        const tag = chosen(args)
        const profile = await service.profile(args.query || undefined, tag, signal)
        return {
          profile: profileSections(profile).join('\n\n'),
          static_count: profile.lasting.length,
          dynamic_count: profile.recent.length,
          ...named(tag),
        }
      },
    }),
  ]
}

/** What kind of thing is said, as upstream marks it. */
function categoryOf(content: string): string {
  if (/prefer|like|love|hate|want/i.test(content)) return 'preference'
  if (/decided|will use|going with/i.test(content)) return 'decision'
  return /\b(is|are|has|have)\b/i.test(content) ? 'fact' : 'other'
}

/** Metadata as the service takes it: no objects within. */
function flat(metadata: Readonly<Record<string, unknown>>): Metadata {
  const plain = (value: unknown) => {
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
    return Array.isArray(value) ? value.map(String) : JSON.stringify(value)
  }
  return Object.fromEntries(Object.entries(metadata).map(([name, value]) => [name, plain(value)]))
}
