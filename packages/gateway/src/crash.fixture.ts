import { mkdir, readFile } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { createContext } from '@hermes/core/agent/create-context.ts'
import { writeFileAtomic } from '@hermes/core/storage/atomic-write.ts'
import { startGateway } from './gateway.ts'
import type { InboundMessage } from './messages/inbound-message.ts'
import { PlatformError } from './platforms/platform-error.ts'
import type { Platform } from './platforms/platform.ts'

// A gateway of its own process for crash.test.ts: platforms of plain chat services, until it is killed.

interface Update {
  readonly id: number
  readonly chatId: string
  readonly userId: string
  readonly text: string
}

const [home = '', ...services] = process.argv.slice(2)

/** Polls as Telegram is polled: an offset confirms what came before it, and is kept only when that is stored. */
function servicePlatform(name: string, url: string): Platform<null> {
  return {
    name,
    label: name,
    variablePrefix: name.toUpperCase(),
    promptHint: '',
    limits: { maxLength: 4_000 },
    read: () => ({ state: 'ready', settings: null }),
    async connect(_settings, host, signal) {
      const ending = new AbortController()
      const both = AbortSignal.any([signal, ending.signal])
      const closed = Promise.withResolvers<unknown>()
      const offsetFile = host.home.path('offsets', name)
      await mkdir(host.home.path('offsets'), { recursive: true })
      let offset = Number(await readFile(offsetFile, 'utf8').catch(() => '1'))
      const poll = async () => {
        while (!both.aborted) {
          const response = await fetch(`${url}/updates?offset=${offset}`, { signal: both })
          for (const update of (await response.json()) as readonly Update[]) {
            await host.receive(inbound(name, update))
            offset = update.id + 1
          }
          await writeFileAtomic(offsetFile, String(offset))
        }
      }
      poll().catch((error: unknown) => closed.resolve(error))
      return {
        account: 'bot',
        rates: { perSecond: 10_000, perChatSecond: 10_000 },
        closed: closed.promise,
        async send(chat, part, { key }, sending) {
          const text = part.type === 'text' ? part.text : ''
          const body = JSON.stringify({ chatId: chat.chatId, text, key })
          const response = await fetch(`${url}/posts`, { method: 'POST', body, signal: sending })
          if (!response.ok) throw new PlatformError('uncertain', `status ${response.status}`)
          return { chat, messageId: key }
        },
        async [Symbol.asyncDispose]() {
          ending.abort()
        },
      }
    },
  }
}

function inbound(platform: string, { id, chatId, userId, text }: Update): InboundMessage {
  return {
    eventId: String(id),
    source: { platform, account: 'bot', chatId, chatType: 'dm', userId },
    text,
    attachments: [],
    sentAt: Date.now(),
  }
}

await using agent = await createContext({ environment: { ...process.env, HERMES_HOME: home }, cwd: home })
const platforms = services.map((url, at) => ({ platform: servicePlatform(`plain${at}`, url), settings: null }))
await using gateway = await startGateway({ agent, platforms })
process.stdout.write('ready\n')
while (gateway.platforms().length > 0) await wait(60_000)
