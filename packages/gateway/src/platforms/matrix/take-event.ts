import type { InboundMessage } from '../../messages/inbound-message.ts'
import type { ChatRef } from '../../messages/outbound-message.ts'
import { createBatches, joinOfText } from '../batches.ts'
import type { PlatformHost } from '../platform.ts'
import type { PlatformAccess } from '../turn-face.ts'
import type { AccountState } from './account-state.ts'
import { createFileFetcher, isFile } from './attachments.ts'
import type { Choice, Choices } from './choices.ts'
import type { MatrixClient } from './client.ts'
import type { Encryption } from './crypto/encryption.ts'
import { messageContent, relation, roomEvent } from './events.ts'
import type { MessageContent, RoomEvent } from './events.ts'
import { readMessage } from './inbound.ts'
import { isMentioned } from './mention.ts'
import { createQuotes } from './quotes.ts'
import { markRead } from './room-calls.ts'
import type { Room, Rooms } from './rooms.ts'
import type { MatrixSettings } from './settings.ts'
import type { Session } from './sign-in.ts'
import type { Threads } from './threads.ts'

/** What the gateway gives a connection. */
export interface MatrixHost extends PlatformHost {
  readonly access: Pick<PlatformAccess, 'isAuthorised'>
}

/** What a connection is made of. */
export interface MatrixParts {
  readonly client: MatrixClient
  readonly session: Session
  readonly settings: MatrixSettings
  readonly host: MatrixHost
  readonly state: AccountState
  readonly rooms: Rooms
  readonly threads: Threads
  readonly choices: Choices
  /** Absent: it is switched off. */
  readonly encryption: Encryption | undefined
}

/** Hands events to the gateway. */
export interface EventTaker {
  /**
   * Takes one, in the order in which they came. Resolves when the next one may follow; `stored` resolves when the gateway
   * has it, or it is not for us, and rejects where it must come again.
   */
  take(roomId: string, event: RoomEvent): Promise<Taken>
  /** Tries the events that waited for their keys again. */
  retrySealed(): Promise<readonly Taken[]>
  close(): void
}

export interface Taken {
  readonly stored: Promise<void>
}

/** Longest text of one message, and one that may be a part of a longer one, UTF-16 units. */
const maxLength = 4_000
const cutLength = 3_900

/** How long an event may wait for its key, ms. */
const sealedMs = 24 * 3600 * 1000

/** Files of strangers are not fetched. */
const withoutFile = messageContent.parse({})

const nothing: Taken = { stored: Promise.resolve() }

/** It is asked after when all of a sync is taken, and may fail before. */
function taken(stored: Promise<void>): Taken {
  stored.catch(() => undefined)
  return { stored }
}

export function createEventTaker(parts: MatrixParts, signal: AbortSignal): EventTaker {
  const { client, session, settings, host, state, rooms, threads, choices, encryption } = parts
  const batches = createBatches((message) => host.receive(message), { maxLength })
  const fetchFile = createFileFetcher(client, host)
  const quotes = createQuotes(parts)
  const warned = new Set<string>()
  const warnOnce = (roomId: string, message: string) => {
    if (warned.has(roomId) || warned.size > 1_000) return
    warned.add(roomId)
    host.log.warn({ room: roomId }, message)
  }

  /** What an encrypted event holds; undefined where it does not open, or not yet. */
  async function open(roomId: string, event: RoomEvent): Promise<RoomEvent | undefined> {
    if (!encryption) {
      warnOnce(roomId, 'the room is encrypted: set MATRIX_ENCRYPTION=true')
      return undefined
    }
    const found = await encryption.open(roomId, event)
    if (found === 'broken') return undefined
    if (found === 'sealed') {
      const eventId = event.event_id ?? ''
      await state.seal({ roomId, eventId, event: JSON.stringify(event) }, host.clock.now())
      return undefined
    }
    // What an event refers to is told outside of what is encrypted.
    const outside = event.content['m.relates_to']
    const inside = roomEvent.parse({ ...event, type: found.type, content: found.content })
    return outside === undefined ? inside : { ...inside, content: { 'm.relates_to': outside, ...inside.content } }
  }

  async function take(roomId: string, event: RoomEvent): Promise<Taken> {
    if (event.sender === undefined || event.sender === session.userId || event.event_id === undefined) return nothing
    if (event.type === 'm.room.encrypted') {
      const inside = await open(roomId, event)
      return inside?.type === 'm.room.message' ? takeMessage(roomId, inside) : nothing
    }
    if (event.type !== 'm.room.message' && event.type !== 'm.reaction') return nothing
    const room = await rooms.get(roomId)
    if (room.encryption && encryption) {
      // Nobody but the server vouches for it.
      if (event.type === 'm.room.message') warnOnce(roomId, 'messages that are not encrypted are ignored in this room')
      return nothing
    }
    return event.type === 'm.reaction' ? takeReaction(event) : takeMessage(roomId, event)
  }

  async function takeReaction({ content, sender = '' }: RoomEvent): Promise<Taken> {
    const { rel_type: type, event_id: target, key } = relation.parse(content['m.relates_to'] ?? {})
    const choice = type === 'm.annotation' && target && key ? choices.byReaction(target, key) : undefined
    return choice ? press(choice, sender) : nothing
  }

  async function press(choice: Choice, userId: string): Promise<Taken> {
    try {
      await host.press({ ...choice, userId })
    } catch (error) {
      host.log.warn({ error: String(error) }, 'an answer to a question was not taken')
    }
    return nothing
  }

  async function takeMessage(roomId: string, event: RoomEvent): Promise<Taken> {
    const { event_id: eventId = '', sender = '' } = event
    const content = messageContent.parse(event.content)
    if (content.msgtype === 'm.notice' || content['m.relates_to']?.rel_type === 'm.replace') return nothing
    const room = await rooms.get(roomId)
    const self = { userId: session.userId, displayName: room.members.get(session.userId) }
    const mentioned = isMentioned(content, self)
    const inThread = threadOf(content)
    if (!isForUs(room, mentioned, inThread)) return nothing
    const threadId = inThread ?? (beginsThread(room, mentioned) ? eventId : undefined)
    const message = readMessage(event, content, { room, self, threadId })
    if (message.text === '' && !isFile(content)) return nothing
    const isKnown = await host.access.isAuthorised(message.source)
    // In a direct chat a stranger gets a code for pairing.
    if (!isKnown && !room.isDirect) return nothing
    const chat: ChatRef = {
      platform: 'matrix',
      chatId: roomId,
      chatType: message.source.chatType,
      ...(threadId !== undefined && { threadId }),
    }
    const choice = choices.byText(chat, message.text)
    if (choice) return press(choice, sender)
    if (threadId !== undefined) await threads.join(threadId)
    return taken(store(isKnown ? content : withoutFile, message, JSON.stringify([roomId, threadId, sender])))
  }

  async function store(content: MessageContent, message: InboundMessage, lane: string): Promise<void> {
    // A command does not wait for the files of what was written before.
    if (message.text.startsWith('/') && !isFile(content)) await batches.addNow(lane, message)
    else await batches.add(lane, complete(content, message))
    const { messageId, source } = message
    if (messageId !== undefined) markRead(client, source.chatId, messageId, signal)
  }

  async function complete(content: MessageContent, message: InboundMessage) {
    const [whole, replyToText] = await Promise.all([
      fetchFile(content, message, signal),
      quotes.of(message.source.chatId, content, signal),
    ])
    const join = isFile(content) ? undefined : joinOfText(message.text, cutLength, settings.waits)
    return { message: { ...whole, ...(replyToText !== undefined && { replyToText }) }, ...(join && { join }) }
  }

  function isForUs(room: Room, mentioned: boolean, threadId: string | undefined): boolean {
    const { requireMention, freeRooms } = settings.rules
    if (room.isDirect || mentioned || !requireMention || freeRooms.has(room.id)) return true
    return threadId !== undefined && threads.has(threadId)
  }

  function beginsThread(room: Room, mentioned: boolean): boolean {
    const { autoThread, directMentionThreads } = settings.rules
    return room.isDirect ? mentioned && directMentionThreads : autoThread
  }

  return {
    take,
    async retrySealed() {
      const dropped = await state.dropSealed(host.clock.now() - sealedMs)
      if (dropped > 0) host.log.warn({ count: dropped }, 'encrypted messages were given up: their keys never came')
      const found: Taken[] = []
      for (const { roomId, eventId, event } of await state.sealed()) {
        const sealed = roomEvent.parse(JSON.parse(event))
        const inside = await open(roomId, sealed)
        if (!inside) continue
        const { stored } = inside.type === 'm.room.message' ? await takeMessage(roomId, inside) : nothing
        found.push(taken(stored.then(() => state.unseal(eventId))))
      }
      return found
    },
    close: () => batches.close(),
  }
}

function threadOf(content: MessageContent): string | undefined {
  const related = content['m.relates_to']
  return related?.rel_type === 'm.thread' ? related.event_id : undefined
}
