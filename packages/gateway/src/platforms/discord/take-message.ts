import type { InboundMessage } from '../../messages/inbound-message.ts'
import { createBatches, joinOfText } from '../batches.ts'
import type { Incoming } from '../batches.ts'
import { PlatformError } from '../platform-error.ts'
import type { FetchFiles } from './attachments.ts'
import { isDirect, isHeard, isMeantHere, isThreaded, listedAs } from './channel-rules.ts'
import { readMessage, withoutMention } from './inbound.ts'
import type { DiscordHost } from './index.ts'
import type { JoinedThreads } from './joined-threads.ts'
import { message as messageSchema } from './payloads.ts'
import type { DiscordMessage } from './payloads.ts'
import { persist } from './persist.ts'
import { directPlace } from './places.ts'
import type { Place, Places } from './places.ts'
import type { DiscordRest } from './rest.ts'
import type { Seen } from './seen.ts'
import type { DiscordSettings } from './settings.ts'
import { startThread } from './start-thread.ts'

/** A text so long may go on in the next message, UTF-16 units. */
const cutLength = 1_900
const maxLength = 2_000

/** Messages that are remembered as taken. */
const maxTaken = 2_000

export interface Account {
  readonly id: string
  readonly applicationId: string
}

export interface TakerOptions {
  readonly settings: DiscordSettings
  readonly host: DiscordHost
  readonly account: Account
  readonly rest: DiscordRest
  readonly places: Places
  readonly joined: JoinedThreads
  readonly seen: Seen
  readonly fetchFiles: FetchFiles
}

export interface MessageTaker {
  /** Takes what the service gives as a message. Resolves when it is dealt with; rejects only when `signal` aborts. */
  take(data: unknown): Promise<void>
  close(): void
}

export function createMessageTaker(options: TakerOptions, signal: AbortSignal): MessageTaker {
  const { settings, host, account, rest, places, joined, seen, fetchFiles } = options
  const { rules, timing } = settings
  const taken = new Set<string>()
  const receive = (message: InboundMessage) => persist(() => host.receive(message), host.log, signal)
  const batches = createBatches(receive, { maxLength })
  const botRoleOf = ({ guild_id: guildId }: DiscordMessage) => (guildId ? places.botRole(guildId) : undefined)
  const bystander = (raw: DiscordMessage) => ({
    me: account,
    rules,
    botRole: botRoleOf(raw),
    hasJoined: (threadId: string) => joined.has(threadId),
  })

  /** The message where it is to be answered; undefined where it is not for us. */
  async function understood(raw: DiscordMessage): Promise<InboundMessage | undefined> {
    const place = isDirect(raw) ? directPlace(raw.channel_id) : await openPlace(raw.channel_id)
    if (!place) return undefined
    const isDm = place.chatType === 'dm'
    if (!isDm && !isMeantHere(raw, place, bystander(raw))) return undefined
    const read = (where: Place) =>
      readMessage(raw, {
        accountId: account.id,
        place: where,
        botRole: botRoleOf(raw),
        listedAs: listedAs(raw.author, raw.member?.roles ?? [], settings.allowedUsers),
        skills: settings.skills.get(place.chatId) ?? settings.skills.get(place.parentId ?? '') ?? [],
      })
    const message = read(place)
    const hasFile = raw.attachments.length + raw.message_snapshots.length > 0
    if (message.text === '' && !hasFile) return undefined
    // Strangers are told in direct chats how to be let in; elsewhere nothing is done for them.
    if (!isDm && !(await host.access.isAuthorised(message.source))) return undefined
    const title = message.text
    const thread =
      isThreaded(place, rules) && !title.startsWith('/')
        ? await startThread({ rest, places, channelId: raw.channel_id, messageId: raw.id, title }, signal)
        : undefined
    const where = thread ?? place
    if (where.threadId !== undefined) await joined.add(where.threadId)
    if (thread?.threadId !== undefined) seen.know(thread.threadId, raw.id)
    return thread ? read(thread) : message
  }

  /** Undefined where it is not there any more, or closed to us: nothing can be said there. */
  async function openPlace(channelId: string): Promise<Place | undefined> {
    try {
      return await places.find(channelId, signal)
    } catch (error) {
      if (error instanceof PlatformError && (error.code === 'gone' || error.code === 'refused')) return undefined
      throw error
    }
  }

  async function takeHeard(raw: DiscordMessage): Promise<boolean> {
    const lane = `${raw.channel_id}:${raw.author.id}`
    const text = withoutMention(raw.content, account.id, botRoleOf(raw))
    // A command does not wait for the files of what was written before.
    if (text.startsWith('/')) {
      const message = await persist(() => understood(raw), host.log, signal)
      if (message) await batches.addNow(lane, message)
      return message !== undefined
    }
    let isOurs = false
    const incoming = persist(() => understood(raw), host.log, signal).then(
      async (message): Promise<Incoming | undefined> => {
        if (!message) return undefined
        isOurs = true
        const join = joinOfText(raw.content, cutLength, timing)
        return { message: await withFiles(raw, message), ...(raw.attachments.length === 0 && { join }) }
      },
    )
    await batches.add(lane, incoming)
    return isOurs
  }

  /** Nothing of strangers is kept. */
  async function withFiles(raw: DiscordMessage, message: InboundMessage): Promise<InboundMessage> {
    if (raw.attachments.length + raw.message_snapshots.length === 0) return message
    const isKnown = await persist(() => host.access.isAuthorised(message.source), host.log, signal)
    return isKnown ? fetchFiles(raw, message, signal) : message
  }

  return {
    async take(data) {
      const raw = messageSchema().safeParse(data).data
      if (!raw || taken.has(raw.id)) return
      taken.add(raw.id)
      for (const oldest of taken) {
        if (taken.size <= maxTaken) break
        taken.delete(oldest)
      }
      const done = seen.begin(raw.channel_id, raw.id)
      done(isHeard(raw, bystander(raw)) && (await takeHeard(raw)))
    },
    close: () => batches.close(),
  }
}
