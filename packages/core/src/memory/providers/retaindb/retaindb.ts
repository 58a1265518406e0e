import type { MemoryProvider, MemoryProviderKind, MemoryProviderStart } from '../../memory-provider.ts'
import { createLateRecall } from '../late-recall.ts'
import { fileTools } from './file-tools.ts'
import { recallAll } from './recall.ts'
import { openRetainDb } from './service.ts'
import { retainDbSettings, retainDbUrl } from './settings.ts'
import { memoryTools } from './tools.ts'
import { createTurnQueue } from './turn-queue.ts'

/** Longest that a message waits for what is recalled. */
const patienceMs = 4_000

/** RetainDB: memory as a service, with a profile of the person and files that agents share. */
export const retaindb: MemoryProviderKind = {
  name: 'retaindb',
  summary: 'RetainDB: memory in the cloud, searched by meaning, with files that agents share',
  fields: [
    {
      key: 'api_key',
      description: 'RetainDB API key',
      isSecret: true,
      isRequired: true,
      url: 'https://www.retaindb.com',
      variable: 'RETAINDB_API_KEY',
    },
    { key: 'base_url', description: 'Address of the API', default: retainDbUrl, variable: 'RETAINDB_BASE_URL' },
    {
      key: 'project',
      description: 'Project that the memories belong to; one of its own for each profile when empty',
      variable: 'RETAINDB_PROJECT',
    },
  ],
  async available(start) {
    return retainDbSettings(start).apiKey === undefined
      ? 'RETAINDB_API_KEY is not set. Get a key at https://www.retaindb.com and put it into .env.'
      : true
  },
  async open(start) {
    return openProvider(start)
  },
  async check(start, signal) {
    const settings = retainDbSettings(start)
    const memories = await openRetainDb(settings).profile(signal)
    return `RetainDB answers at ${settings.baseUrl}; project ${settings.project}, ${memories.length} memories of the user.`
  },
}

function openProvider(start: MemoryProviderStart): MemoryProvider {
  const { home, clock, log, sessionId, role } = start
  const settings = retainDbSettings(start)
  const service = openRetainDb(settings)
  const queue = createTurnQueue({ home, clock, log, userId: settings.userId, service })
  const recall = createLateRecall({
    recall: (query, signal) => recallAll(service, { sessionId, log }, query, signal),
    patienceMs,
    log,
  })
  const isKept = role === 'primary'
  return {
    name: 'retaindb',
    tools: [...memoryTools(service, sessionId), ...fileTools({ service, settings, start })],
    promptBlock: () =>
      [
        '# RetainDB memory',
        `Long-term memory over all sessions (project ${settings.project}). What bears on a message is recalled by itself; look up more with retaindb_search, retaindb_context and retaindb_profile, keep facts with retaindb_remember.`,
      ].join('\n'),
    async recall(query, signal) {
      signal.throwIfAborted()
      return query.trim() === '' ? '' : recall.take(query, signal)
    },
    async keepTurn({ sessionId: said, user, assistant }, signal) {
      if (!isKept || user.trim() === '') return
      const timestamp = new Date(clock.now()).toISOString()
      await queue.add(said, [
        { role: 'user', content: user, timestamp },
        { role: 'assistant', content: assistant, timestamp },
      ])
      await queue.flush(signal)
    },
    async keepNote({ action, target, content }, signal) {
      // What replaces an older note cannot be put in its place there.
      if (!isKept || action !== 'add') return
      const type = target === 'user' ? 'preference' : 'factual'
      await service.remember(sessionId, { content, type, importance: 0.7 }, signal)
    },
    async close(signal) {
      recall.close()
      try {
        if (isKept) await queue.flush(signal)
      } finally {
        queue.close()
      }
    },
  }
}
