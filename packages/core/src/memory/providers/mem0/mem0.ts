import { z } from 'zod'
import type {
  MemoryProvider,
  MemoryProviderKind,
  MemoryProviderStart,
  MemoryProviderTool,
} from '../../memory-provider.ts'
import { MemoryProviderError } from '../../memory-provider-error.ts'
import { createLateRecall } from '../late-recall.ts'
import { createOutbox } from '../outbox.ts'
import { defineProviderTool } from '../provider-tool.ts'
import { mergeSettingsFile } from '../settings-file.ts'
import { withoutRecalled } from '../without-recalled.ts'
import type { Mem0Message, Mem0Service } from './service.ts'
import { createMem0Service } from './service.ts'
import type { Mem0Settings } from './settings.ts'
import { mem0Path, readMem0Settings } from './settings.ts'

/** Memories that come with a message. */
const recallCount = 5
const patienceMs = 3_000
const search = { defaultCount: 10, maxCount: 50 }

const missing =
  'MEM0_API_KEY is not set. Get a key at https://app.mem0.ai, or set host in mem0.json for your own server.'

/** Mem0: takes facts out of conversations and searches them by meaning. */
export const mem0: MemoryProviderKind = {
  name: 'mem0',
  summary: 'Mem0: takes facts out of what is said and finds them by meaning (cloud or own server)',
  fields: [
    {
      key: 'api_key',
      description: 'Mem0 API key',
      isSecret: true,
      isRequired: true,
      variable: 'MEM0_API_KEY',
      url: 'https://app.mem0.ai',
    },
    { key: 'user_id', description: 'Whose memories they are', default: 'hermes-user' },
    { key: 'agent_id', description: 'Which agent they come from', default: 'hermes' },
    {
      key: 'rerank',
      description: 'Sort what is found once more: better, and slower',
      default: 'true',
      choices: ['true', 'false'],
    },
  ],
  async available(start) {
    const { apiKey, kind } = await readMem0Settings(start)
    return apiKey !== undefined || kind === 'server' ? true : missing
  },
  async open(start) {
    const settings = await readMem0Settings(start)
    if (settings.apiKey === undefined && settings.kind === 'cloud') {
      throw new MemoryProviderError('unconfigured', missing)
    }
    const userId = userOf(start, settings)
    const service = createMem0Service(settings, userId, start.platform)
    const block = promptBlock(userId)
    return {
      name: 'mem0',
      tools: mem0Tools(service),
      promptBlock: () => block,
      ...recallAndKeep(start, settings, service),
    }
  },
  async saveSettings(values, home) {
    await mergeSettingsFile(mem0Path(home), values)
  },
  async check(start, signal) {
    const settings = await readMem0Settings(start)
    const userId = userOf(start, settings)
    await createMem0Service(settings, userId, start.platform).ping(signal)
    return `Memories of ${userId}, from the agent ${settings.agentId}.`
  },
}

/** Whoever speaks on a platform has memories of their own. */
function userOf({ userId }: MemoryProviderStart, settings: Mem0Settings): string {
  return userId || settings.userId
}

function recallAndKeep(
  { role, log }: MemoryProviderStart,
  { rerank }: Mem0Settings,
  service: Mem0Service,
): Pick<MemoryProvider, 'recall' | 'keepTurn' | 'close'> {
  const late = createLateRecall({
    recall: async (query, signal) => {
      const found = await service.search(query, { count: recallCount, rerank }, signal)
      return found.length === 0 ? '' : `## Mem0 memory\n${found.map(({ memory }) => `- ${memory}`).join('\n')}`
    },
    patienceMs,
    log,
  })
  const outbox = createOutbox<{ readonly messages: readonly Mem0Message[] }>({
    batchSize: 1,
    send: async (turns, signal) => {
      for (const { messages } of turns) await service.add(messages, 'inferred', signal)
    },
    log,
  })
  return {
    async recall(query, signal) {
      signal.throwIfAborted()
      return query.trim() === '' ? '' : late.take(query, signal)
    },
    ...(role === 'primary' && {
      async keepTurn(turn, signal) {
        const said: readonly Mem0Message[] = [
          { role: 'user', content: withoutRecalled(turn.user) },
          { role: 'assistant', content: withoutRecalled(turn.assistant) },
        ]
        const messages = said.filter(({ content }) => content !== '')
        if (messages.length > 0) outbox.add({ messages })
        await outbox.flush(signal)
      },
    }),
    async close(signal) {
      late.close()
      await outbox.flush(signal)
    },
  }
}

/** The tools of upstream, with their names and parameters. */
function mem0Tools(service: Mem0Service): readonly MemoryProviderTool[] {
  const words = z.string().trim().min(1)
  return [
    defineProviderTool({
      name: 'mem0_profile',
      description: 'Everything Mem0 remembers of the user, in short. Good at the beginning of a conversation.',
      concurrency: 'parallel',
      input: z.looseObject({}),
      run: async (_, signal) => {
        const all = await service.list(signal)
        if (all.length === 0) return { result: 'No memories stored yet.' }
        return { result: all.map(({ memory }) => memory).join('\n'), count: all.length }
      },
    }),
    defineProviderTool({
      name: 'mem0_search',
      description: "Search the user's memories by meaning; best first.",
      concurrency: 'parallel',
      input: z.object({
        query: words.describe('What to search for.'),
        rerank: z.boolean().default(false).describe('Sort once more for precision (default false).'),
        top_k: z
          .int()
          .default(search.defaultCount)
          .describe(`Most results (default ${search.defaultCount}, at most ${search.maxCount}).`),
      }),
      run: async ({ query, rerank, top_k }, signal) => {
        const count = Math.min(Math.max(top_k, 1), search.maxCount)
        const found = await service.search(query, { count, rerank }, signal)
        if (found.length === 0) return { result: 'No relevant memories found.' }
        const results = found.map(({ memory, score }) => ({ memory, score: score ?? 0 }))
        return { results, count: results.length }
      },
    }),
    defineProviderTool({
      name: 'mem0_conclude',
      description: 'Keep a fact about the user word for word: a preference, a correction, a decision.',
      concurrency: 'exclusive',
      input: z.object({ conclusion: words.describe('The fact to keep.') }),
      run: async ({ conclusion }, signal) => {
        await service.add([{ role: 'user', content: conclusion }], 'verbatim', signal)
        return { result: 'Fact stored.' }
      },
    }),
  ]
}

function promptBlock(userId: string): string {
  return `# Mem0 memory
Mem0 remembers ${userId} across sessions; what bears on a message comes with it.
mem0_search finds memories, mem0_profile shows all of them, mem0_conclude keeps a fact.`
}
