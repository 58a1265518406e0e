import { randomUUID } from 'node:crypto'
import type { AgentContext } from '@hermes/core/agent/context.ts'
import { MessengerError } from '@hermes/core/agent/messenger.ts'
import type { MessagePlace, Messenger, MessageToSend } from '@hermes/core/agent/messenger.ts'
import type { Courier } from '../deliver/courier.ts'
import { DeliveryError } from '../deliver/delivery-error.ts'
import type { ChatRef } from '../messages/outbound-message.ts'
import { hasPlaces, readChannels } from '../sessions/channel-directory.ts'
import type { ChatSession, ChatSessions } from '../sessions/chat-sessions.ts'
import { homeChannel } from '../sessions/home-channel.ts'
import { findDeliverables, withoutDeliverables } from '../turn/deliverables.ts'

export interface MessengerOptions {
  readonly agent: () => AgentContext
  /** The platforms that run here, by name. */
  readonly platforms: ReadonlyMap<string, unknown>
  readonly sessions: ChatSessions
  readonly courier: Courier
  /** Whether another process works on a message of a chat. Absent: there is none. */
  readonly isBusy?: (sessionKey: string) => Promise<boolean>
}

/** Lets the agent write to chats of the platforms of this gateway. */
export function createMessenger(options: MessengerOptions): Messenger {
  const { agent, platforms, sessions, courier } = options
  const find = async (target: string, origin?: Parameters<Courier['find']>[1]): Promise<ChatRef> => {
    const chat = await orMessengerError('no-such-place', () => courier.find(target, origin))
    if (chat) return chat
    throw new MessengerError('no-such-place', 'There is neither an origin nor a home channel.')
  }
  return {
    async places() {
      const channels = await readChannels(agent().home)
      // The directory is written a little after somebody has spoken.
      const chats = await sessions.all()
      return [...platforms.keys()].filter(hasPlaces).flatMap((platform): readonly MessagePlace[] => {
        const home = homeChannel(platform, agent())
        const listed = (channels[platform] ?? []).map(({ id, name, guild }) => ({
          platform,
          chatId: id,
          name,
          isKnown: !guild,
        }))
        const own = [...listed, ...spokenIn(platform, chats, new Set(listed.map(({ chatId }) => chatId)))]
        const isListed = own.some(({ chatId }) => chatId === home?.chatId)
        return home && !isListed ? [{ platform, ...home, isKnown: true }, ...own] : own
      })
    },
    async find(target, origin) {
      // A platform alone is its home channel, also where the chat that asks is one of it.
      const isOrigin = target.toLowerCase() === 'origin'
      const { platform, chatId, threadId } = await find(target, isOrigin ? origin : undefined)
      const place = { platform, chatId, ...(threadId !== undefined && { threadId }) }
      return { ...place, isKnown: await isKnown(place, options) }
    },
    async send(message, signal) {
      const chat = await find('origin', message.place)
      const parcel = { key: `send:${randomUUID()}`, chat, text: agent().redactor.redact(message.text) }
      await orMessengerError('refused', () => courier.deliver(parcel, signal))
      return { isMirrored: await mirror(message, options) }
    },
  }
}

/** Places where people have spoken, each once, without those that are listed. */
function spokenIn(
  platform: string,
  chats: readonly ChatSession[],
  listed: ReadonlySet<string>,
): readonly MessagePlace[] {
  const places = chats.flatMap(({ source: { chatId, threadId, chatName, userName, ...source } }) => {
    const id = threadId === undefined ? chatId : `${chatId}:${threadId}`
    if (source.platform !== platform || listed.has(id)) return []
    return [{ platform, chatId: id, name: chatName ?? userName ?? chatId, isKnown: true }]
  })
  return [...new Map(places.map((place) => [place.chatId, place])).values()]
}

async function isKnown(
  { platform, chatId }: Pick<MessagePlace, 'platform' | 'chatId'>,
  { agent, sessions }: MessengerOptions,
): Promise<boolean> {
  if (homeChannel(platform, agent())?.chatId === chatId) return true
  if (await sessions.inChat({ platform, chatId })) return true
  const channels = (await readChannels(agent().home))[platform] ?? []
  // What a service lists is a place where nobody needs to have spoken.
  return channels.some(({ id, guild }) => !guild && (id === chatId || id.startsWith(`${chatId}:`)))
}

/** The conversation of that place knows what it was told, so that it can be answered. */
async function mirror(
  { place, text, mirrorAs }: MessageToSend,
  { agent, sessions, isBusy }: MessengerOptions,
): Promise<boolean> {
  const chat = await sessions.inChat(place)
  const session = chat && (await agent().sessions.carriedOnBy(chat.sessionId))
  if (!session) return false
  // Within a turn it would stand between a call and its result.
  if (agent().scopes.get(session.id).turnRunning || (await isBusy?.(chat.sessionKey))) return false
  const files = findDeliverables(text)
  const said = withoutDeliverables(text, files) || `(${files.length} files)`
  const content = agent().redactor.redact(`[Delivered from ${mirrorAs}] ${said}`)
  await agent().sessions.append(session.id, { role: 'assistant', content, toolCalls: [] })
  return true
}

async function orMessengerError<Result>(code: MessengerError['code'], work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof DeliveryError) throw new MessengerError(code, error.message)
    throw error
  }
}
