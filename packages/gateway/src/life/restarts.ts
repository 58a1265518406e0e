import { readFile, rm, stat } from 'node:fs/promises'
import type { Home } from '@hermes/core/config/home.ts'
import type { Logger } from '@hermes/core/log/logger.ts'
import { writeFileAtomic } from '@hermes/core/storage/atomic-write.ts'
import { lazily } from '@hermes/core/storage/lazily.ts'
import { z } from 'zod'
import { DeliveryError } from '../deliver/delivery-error.ts'
import type { Courier } from '../deliver/courier.ts'
import { eventKey } from '../messages/inbound-message.ts'
import type { InboundMessage } from '../messages/inbound-message.ts'
import type { ChatRef } from '../messages/outbound-message.ts'

const text = lazily(() => z.union([z.string(), z.number()]).transform(String))

/** Upstream's `.restart_notify.json`: which chat is told that the gateway is back. */
const notice = lazily(() =>
  z.looseObject({
    platform: z.string(),
    chat_id: text(),
    thread_id: text().nullish(),
    chat_type: z.enum(['dm', 'group', 'channel', 'thread']).optional(),
    event: z.string().optional(),
  }),
)

export interface RestartNotice {
  readonly asked: z.infer<ReturnType<typeof notice>>
  /** When it was asked for, ms since 1970. */
  readonly askedAt: number
}

/** How a chat has the gateway started anew. */
export interface Restarts {
  /** How long what runs may go on, seconds. */
  readonly drainSeconds: number
  /** Asks for it. Resolves to `done` where this very message has led to this start. */
  request(message: InboundMessage): Promise<'asked' | 'done'>
}

export interface RestartsOptions {
  readonly home: Home
  /** What led to this start. */
  readonly before: RestartNotice | undefined
  readonly drainSeconds: number
  readonly restart: () => void
}

export function createRestarts({ home, before, drainSeconds, restart }: RestartsOptions): Restarts {
  return {
    drainSeconds,
    async request(message) {
      const event = eventKey(message)
      // It was not noted as answered before the process ended: it must not go round and round.
      if (before?.asked.event === event) return 'done'
      const { platform, chatId, chatType, threadId } = message.source
      const value = { platform, chat_id: chatId, thread_id: threadId ?? null, chat_type: chatType, event }
      await writeFileAtomic(pathOf(home), JSON.stringify(value), { mode: 0o600 })
      restart()
      return 'asked'
    },
  }
}

/** The chat that is to be told, if any. */
export async function readRestartNotice(home: Home): Promise<RestartNotice | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(pathOf(home), 'utf8'))
    const { mtimeMs } = await stat(pathOf(home))
    const parsed = notice().safeParse(value)
    return parsed.success ? { asked: parsed.data, askedAt: mtimeMs } : undefined
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof Error && 'code' in error && error.code === 'ENOENT'))
      return undefined
    throw error
  }
}

/** Tells the chat that asked, once. */
export async function announceRestart(
  { asked, askedAt }: RestartNotice,
  { home, courier, log }: { readonly home: Home; readonly courier: Courier; readonly log: Logger },
  signal: AbortSignal,
): Promise<void> {
  try {
    const chat = await chatOf(asked, courier)
    if (chat) await courier.deliver({ key: `restarted:${askedAt}`, chat, text: '♻️ I am back.' }, signal)
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error
    log.warn({ error: error.message }, 'the chat that asked for the restart cannot be told')
  }
  await rm(pathOf(home), { force: true })
}

async function chatOf(asked: RestartNotice['asked'], courier: Courier): Promise<ChatRef | undefined> {
  const { platform, chat_id: chatId, thread_id: threadId, chat_type: chatType } = asked
  if (chatType) return { platform, chatId, chatType, ...(threadId && { threadId }) }
  return courier.find([platform, chatId, ...(threadId ? [threadId] : [])].join(':'))
}

function pathOf(home: Home): string {
  return home.path('.restart_notify.json')
}
