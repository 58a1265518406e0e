import type { AgentContext } from '@hermes/core/agent/context.ts'
import type { ChatType } from '../messages/inbound-message.ts'
import type { ChatRef } from '../messages/outbound-message.ts'
import { findChannel, readChannels } from '../sessions/channel-directory.ts'
import type { ChatSessions } from '../sessions/chat-sessions.ts'
import { homeChannel } from '../sessions/home-channel.ts'
import { DeliveryError } from './delivery-error.ts'

/** Where something was asked for. */
export interface DeliveryOrigin {
  readonly platform: string
  readonly chatId?: string
  readonly threadId?: string
}

export interface TargetPlaces {
  readonly agent: Pick<AgentContext, 'home' | 'config' | 'environment'>
  readonly sessions: Pick<ChatSessions, 'inChat'>
  /** Platforms that run here. */
  readonly platforms: readonly string[]
}

/**
 * The chat that `origin`, `<platform>` (its home channel) or `<platform>:<chat>[:<thread>]` means; ids keep their case, and
 * names of the channel directory will do. Undefined where an origin is asked for and there is neither one nor a home
 * channel. Throws `DeliveryError`.
 */
export async function findTarget(
  target: string,
  origin: DeliveryOrigin | undefined,
  places: TargetPlaces,
): Promise<ChatRef | undefined> {
  if (target.toLowerCase() === 'origin') {
    if (origin?.chatId !== undefined) return chatAt(origin.platform, { ...origin, chatId: origin.chatId }, places)
    const home = places.platforms.find((name) => homeChannel(name, places.agent))
    return home === undefined ? undefined : atHome(home, places)
  }
  const at = target.indexOf(':')
  const platform = (at < 0 ? target : target.slice(0, at)).trim().toLowerCase()
  const rest = at < 0 ? '' : target.slice(at + 1).trim()
  if (rest !== '') return chatAt(platform, await namedChat(platform, rest, places), places)
  if (origin?.platform === platform && origin.chatId !== undefined) {
    return chatAt(platform, { ...origin, chatId: origin.chatId }, places)
  }
  return atHome(platform, places)
}

interface Place {
  readonly chatId: string
  readonly threadId?: string
  readonly chatType?: string
}

async function atHome(platform: string, places: TargetPlaces): Promise<ChatRef> {
  const home = homeChannel(platform, places.agent)
  if (home) return chatAt(platform, home, places)
  checkRuns(platform, places)
  throw new DeliveryError(`${platform} has no home channel: write /sethome in the chat that should get this.`)
}

/** An id of the directory, a name of it, or an id that nobody has noted yet. */
async function namedChat(platform: string, text: string, { agent }: TargetPlaces): Promise<Place> {
  const channel = findChannel((await readChannels(agent.home))[platform] ?? [], text)
  if (channel) {
    const { id, thread_id: threadId, type } = channel
    const suffix = `:${threadId ?? ''}`
    const chatId = threadId && id.endsWith(suffix) ? id.slice(0, -suffix.length) : id
    return { chatId, chatType: type, ...(threadId && { threadId }) }
  }
  // Ids of Matrix have a colon themselves; a thread there is an event, which begins with a dollar sign.
  const [, chatId = text, threadId] = (platform === 'matrix' ? /^(.+):(\$.+)$/ : /^([^:]+):(.+)$/).exec(text) ?? []
  return { chatId, ...(threadId !== undefined && { threadId }) }
}

async function chatAt(platform: string, place: Place, places: TargetPlaces): Promise<ChatRef> {
  checkRuns(platform, places)
  const { chatId, threadId } = place
  const chat = { platform, chatId, ...(threadId !== undefined && { threadId }) }
  const known = (await places.sessions.inChat(chat)) ?? (await places.sessions.inChat({ platform, chatId }))
  // In a place where nobody has spoken yet the stricter limits are kept.
  return { ...chat, chatType: known?.source.chatType ?? chatTypeOf(place.chatType) }
}

function chatTypeOf(type: string | undefined): ChatType {
  return type === 'dm' || type === 'channel' || type === 'thread' ? type : 'group'
}

function checkRuns(platform: string, { platforms }: TargetPlaces): void {
  if (platforms.includes(platform)) return
  const running = platforms.length > 0 ? platforms.join(', ') : 'none'
  throw new DeliveryError(`The gateway does not run for "${platform}"; platforms that it runs for: ${running}.`)
}
