import type { AgentContext } from '@hermes/core/agent/context.ts'
import type { Home } from '@hermes/core/config/home.ts'
import type { Logger } from '@hermes/core/log/logger.ts'
import { createFileMemo } from '@hermes/core/storage/file-memo.ts'
import { oneLine } from '@hermes/core/text/one-line.ts'
import { boundedMessages } from '../deliver/bounded-messages.ts'
import { DeliveryError } from '../deliver/delivery-error.ts'
import type { InboundMessage } from '../messages/inbound-message.ts'
import type { ChatRef } from '../messages/outbound-message.ts'
import type { MessageLimits } from '../platforms/platform.ts'
import type { Inbox, InboxEntry } from '../store/inbox.ts'
import type { Outgoing } from '../store/outbox.ts'
import { mirrorsPath, placeOf, readMirrors } from './mirrors.ts'
import type { Mirror } from './mirrors.ts'

export interface MirrorOptions {
  readonly home: Home
  readonly log: Logger
  readonly agent: () => Pick<AgentContext, 'home' | 'config' | 'log'>
  /** The chat that a place names. Throws `DeliveryError`. */
  readonly find: (place: string) => Promise<ChatRef | undefined>
  readonly limits: (platform: string) => MessageLimits | undefined
  readonly wake: (platform: string) => void
}

/** An inbox whose answers are queued for the mirrors of their chats in the same step, so that neither comes alone. */
export function withMirrors(inbox: Inbox, options: MirrorOptions): Inbox {
  const memo = createFileMemo()
  const mirrors = async () =>
    memo.of('mirrors', (watch) => {
      watch(mirrorsPath(options.home))
      return readMirrors(options.home)
    })
  // Of what is open: as many as the inbox has itself.
  const asked = new Map<number, InboundMessage>()
  const note = (entry: InboxEntry) => {
    asked.set(entry.id, entry.message)
    return entry
  }
  return {
    ...inbox,
    async add(message, sessionKey) {
      const entry = await inbox.add(message, sessionKey)
      return entry && note(entry)
    },
    async open() {
      return (await inbox.open()).map(note)
    },
    async end(ids, state, replies, next) {
      const copying = { mirrors, message: asked.get(ids[0] ?? 0), options }
      const copies = await copiesOf(replies, copying).catch((error: unknown) => {
        // A chat gets its answer also where the mirrors cannot be read.
        options.log.error({ error: String(error) }, 'the mirrors cannot be served')
        return []
      })
      const made = await inbox.end(ids, state, [...replies, ...copies], next)
      for (const id of ids) asked.delete(id)
      for (const platform of new Set(copies.map(({ chat }) => chat.platform))) options.wake(platform)
      return made.map(note)
    },
  }
}

async function copiesOf(
  replies: readonly Outgoing[],
  { mirrors, message, options }: Copying & { readonly mirrors: () => readonly Mirror[] | Promise<readonly Mirror[]> },
): Promise<readonly Outgoing[]> {
  const said = replies.filter(({ isNotice }) => isNotice !== true)
  const [first] = said
  if (!first) return []
  const from = placeOf(first.chat)
  const places = (await mirrors()).filter((mirror) => mirror.from === from).map(({ to }) => to)
  const copies = await Promise.all(places.map((to) => copiesFor(to, said, { message, options })))
  return copies.flat()
}

interface Copying {
  /** What is answered. */
  readonly message: InboundMessage | undefined
  readonly options: MirrorOptions
}

async function copiesFor(
  to: string,
  said: readonly Outgoing[],
  { message, options }: Copying,
): Promise<readonly Outgoing[]> {
  const chat = await options.find(to).catch((error: unknown) => {
    if (!(error instanceof DeliveryError)) throw error
    options.log.warn({ to, error: error.message }, 'a mirror cannot be served')
    return undefined
  })
  if (!chat) return []
  const copies = said.map(async ({ key, part }, at): Promise<readonly Outgoing[]> => {
    // The outbox takes it back with what it shows, by the end of its key.
    const own = `mirror:${to}:${key}`
    if (part.type === 'file') return [{ key: own, chat, part }]
    const text = at === 0 ? `${header(message)}${part.text}` : part.text
    return boundedMessages({ key: own, chat, text, limits: options.limits(chat.platform) }, options.agent())
  })
  return (await Promise.all(copies)).flat()
}

/** Who had said what, and where. */
function header(message: InboundMessage | undefined): string {
  if (!message) return ''
  const { platform, userName, chatName } = message.source
  const where = [userName, chatName && chatName !== userName ? `in ${chatName}` : undefined, `on ${platform}`]
  return `↪ ${where.filter(Boolean).join(' ')}: ${oneLine(message.text)}\n\n`
}
