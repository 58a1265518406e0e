import type { MemoryProvider, MemoryProviderKind, MemoryProviderStart } from '../../memory-provider.ts'
import { createOutbox } from '../outbox.ts'
import { openOpenViking } from './service.ts'
import type { FoundContext } from './service.ts'
import { openVikingSettings, openVikingUrl } from './settings.ts'
import { openVikingTools } from './tools.ts'

/** Memories recalled for a message, and characters of each. */
const recalled = 5
const recalledChars = 600

/** Longest message that is sent, characters. */
const maxMessageChars = 20_000

/** OpenViking: a knowledge base like a tree of folders, on a server of one's own. */
export const openviking: MemoryProviderKind = {
  name: 'openviking',
  summary: "OpenViking: a knowledge base like a tree of folders, on a server of one's own",
  fields: [
    {
      key: 'endpoint',
      description: 'Address of the OpenViking server',
      isRequired: true,
      default: openVikingUrl,
      variable: 'OPENVIKING_ENDPOINT',
    },
    {
      key: 'api_key',
      description: 'API key, where the server asks for one',
      isSecret: true,
      variable: 'OPENVIKING_API_KEY',
    },
    {
      key: 'account',
      description: 'Account, where the server does not know it from the key',
      variable: 'OPENVIKING_ACCOUNT',
    },
    { key: 'user', description: 'User, where the server does not know it from the key', variable: 'OPENVIKING_USER' },
  ],
  async available(start) {
    return openVikingSettings(start).endpoint === undefined
      ? `OPENVIKING_ENDPOINT is not set. Start openviking-server and put its address (${openVikingUrl}) into .env.`
      : true
  },
  async open(start) {
    return openProvider(start)
  },
  async check(start, signal) {
    const settings = openVikingSettings(start)
    const user = await openOpenViking(settings).user(signal)
    return `OpenViking answers at ${settings.endpoint ?? openVikingUrl}${user === undefined ? '' : `, as user ${user}`}.`
  },
}

interface WaitingMessage {
  readonly sessionId: string
  readonly role: 'user' | 'assistant'
  readonly content: string
}

function openProvider(start: MemoryProviderStart): MemoryProvider {
  const { sessionId, log, role } = start
  const service = openOpenViking(openVikingSettings(start))
  const isKept = role === 'primary'
  /** Sessions in which something was said that no memories were taken from yet. */
  const uncommitted = new Set<string>()
  const outbox = createOutbox<WaitingMessage>({
    batchSize: 1,
    log,
    async send(messages, signal) {
      for (const message of messages) {
        await service.say(message.sessionId, message.role, message.content, signal)
        uncommitted.add(message.sessionId)
      }
    },
  })
  const say = (said: string, speaker: 'user' | 'assistant', content: string): WaitingMessage => ({
    sessionId: said,
    role: speaker,
    content: content.slice(0, maxMessageChars).toWellFormed(),
  })
  async function commit(signal: AbortSignal): Promise<void> {
    await outbox.flush(signal)
    for (const id of uncommitted) {
      await service.commit(id, signal)
      uncommitted.delete(id)
    }
  }
  return {
    name: 'openviking',
    tools: openVikingTools({ service, start }),
    promptBlock: () =>
      [
        '# OpenViking knowledge base',
        'What bears on a message is recalled by itself. Look up more with viking_search, open it with viking_read, look around with viking_browse; keep facts with viking_remember, whole documents with viking_add_resource.',
      ].join('\n'),
    async recall(query, signal) {
      signal.throwIfAborted()
      if (query.trim() === '') return ''
      return recallText(await service.find({ query: query.slice(0, 2_000), limit: recalled }, signal))
    },
    async keepTurn({ sessionId: said, user, assistant }, signal) {
      if (!isKept || user.trim() === '') return
      outbox.add(say(said, 'user', user), ...(assistant.trim() === '' ? [] : [say(said, 'assistant', assistant)]))
      await outbox.flush(signal)
    },
    async keepNote({ target, content }, signal) {
      if (!isKept) return
      outbox.add(say(sessionId, 'user', `[Memory note — ${target}] ${content}`))
      await outbox.flush(signal)
    },
    async keepSession(_messages, signal) {
      if (isKept) await commit(signal)
    },
    async close(signal) {
      if (isKept) await commit(signal)
    },
  }
}

function recallText(found: readonly FoundContext[]): string {
  const lines = found.slice(0, recalled).flatMap(({ uri, score, abstract }) => {
    const line = abstract.replaceAll(/\s+/g, ' ').trim().slice(0, recalledChars).toWellFormed()
    return line === '' ? [] : [`- [${score.toFixed(2)}] ${line} (${uri})`]
  })
  return lines.length === 0 ? '' : `## OpenViking context\n${lines.join('\n')}`
}
