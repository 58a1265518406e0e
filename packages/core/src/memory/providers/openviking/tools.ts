import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import type { MemoryProviderStart, MemoryProviderTool } from '../../memory-provider.ts'
import { readLocalFile } from '../local-file.ts'
import { defineProviderTool } from '../provider-tool.ts'
import { readText } from './read-text.ts'
import { levels } from './service.ts'
import type { OpenViking } from './service.ts'

/** Entries of a folder that the model gets. */
const maxEntries = 50

const categories = ['preference', 'entity', 'event', 'case', 'pattern'] as const

/** What the server fetches by itself. Everything else is a file of this machine, which it must not open for us. */
const remote = /^(?:https?:\/\/|ssh:\/\/|git:\/\/|git@)/i

const viking = z.string().trim().startsWith('viking://', 'Give a viking:// address.')

export interface ToolSources {
  readonly service: OpenViking
  readonly start: Pick<MemoryProviderStart, 'home' | 'environment' | 'workspace' | 'sessionId'>
}

export function openVikingTools({ service, start }: ToolSources): readonly MemoryProviderTool[] {
  return [
    defineProviderTool({
      name: 'viking_search',
      description:
        'Search the OpenViking knowledge base by meaning. Gives viking:// addresses to read, the best first.',
      concurrency: 'parallel',
      input: z.object({
        query: z.string().trim().min(1).describe('What to look for'),
        mode: z
          .enum(['auto', 'fast', 'deep'])
          .default('auto')
          .describe('deep: slower, for questions over many sources'),
        scope: viking.optional().describe('Only below this address, e.g. viking://resources/docs/'),
        limit: z.number().default(10).describe('Most results'),
      }),
      async run({ query, mode, scope, limit: wanted }, signal) {
        const limit = Math.min(50, Math.max(1, Math.trunc(wanted) || 10))
        const sessionId = mode === 'deep' ? start.sessionId : undefined
        const results = await service.find({ query, limit, scope, sessionId }, signal)
        return {
          results: results.map((one) => ({ ...one, score: Number(one.score.toFixed(3)) })),
          total: results.length,
        }
      },
    }),
    defineProviderTool({
      name: 'viking_read',
      description: 'Read what is at a viking:// address: abstract (short), overview (key points) or full.',
      concurrency: 'parallel',
      input: z.object({
        uri: viking.describe('Address from viking_search or viking_browse'),
        level: z.enum(levels).default('overview').describe('How much'),
      }),
      async run({ uri, level }, signal) {
        return { uri, level, ...(await readText(service, uri, level, signal)) }
      },
    }),
    defineProviderTool({
      name: 'viking_browse',
      description: 'Look around in the OpenViking knowledge base as in folders.',
      concurrency: 'parallel',
      input: z.object({
        action: z.enum(['tree', 'list', 'stat']).describe('list: what is in it; tree: all below; stat: facts about it'),
        path: viking.default('viking://').describe('Address to begin at'),
      }),
      async run({ action, path }, signal) {
        if (action === 'stat') return { ...(await service.stat(path, signal)) }
        const entries = await service.list(path, action === 'tree' ? 'tree' : 'ls', signal)
        return {
          path,
          entries: entries.slice(0, maxEntries),
          ...(entries.length > maxEntries && { more: entries.length - maxEntries }),
        }
      },
    }),
    defineProviderTool({
      name: 'viking_remember',
      description: 'Keep a fact in the OpenViking knowledge base, which sorts it in by itself a little later.',
      concurrency: 'exclusive',
      input: z.object({
        content: z.string().trim().min(1).describe('What to remember'),
        category: z.enum(categories).optional().describe('Its kind, where it is clear'),
      }),
      async run({ content, category }, signal) {
        // A session of its own, so that it is kept at once and the conversation is not ended by it.
        const sessionId = `hermes-remember-${randomUUID()}`
        await service.say(sessionId, 'user', category === undefined ? content : `[${category}] ${content}`, signal)
        const commit = await service.commit(sessionId, signal)
        return { status: 'submitted', ...(commit?.task_id != null && { task_id: commit.task_id }) }
      },
    }),
    defineProviderTool({
      name: 'viking_add_resource',
      description: 'Add a web page, a Git repository or a file of this machine to the OpenViking knowledge base.',
      concurrency: 'exclusive',
      input: z.object({
        url: z.string().trim().min(1).describe('URL or path of a file'),
        reason: z.string().optional().describe('What it is good for; helps to find it'),
      }),
      async run({ url, reason }, signal) {
        const why: Readonly<Record<string, string>> = reason ? { reason } : {}
        const source = remote.test(url) ? { path: url } : await uploaded(url, { service, start }, signal)
        const uri = await service.addResource({ ...source, ...why }, signal)
        return { status: 'added', root_uri: uri, message: 'It is being read; viking_search finds it in a moment.' }
      },
    }),
  ]
}

async function uploaded(
  path: string,
  { service, start }: ToolSources,
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  const { name, content } = await readLocalFile(isLocalUrl(path) ? fileURLToPath(path) : path, start)
  return { temp_file_id: await service.upload(name, content, signal), source_name: name }
}

function isLocalUrl(path: string): boolean {
  return /^file:\/\/(?:localhost)?\//i.test(path)
}
