import { createHash } from 'node:crypto'
import type { AgentContext } from '@hermes/core/agent/context.ts'
import type { InboundMessage, MessageSource } from '../messages/inbound-message.ts'
import { homeChannel } from '../sessions/home-channel.ts'
import type { ResetReason } from '../sessions/reset-policy.ts'
import { plainName } from './message-text.ts'

/** Where numbers say who somebody is, and are needed for nothing else; upstream's list. */
const numbersAreHidden: ReadonlySet<string> = new Set(['telegram', 'whatsapp', 'signal', 'bluebubbles'])

/** Where people expect more than messages. */
const hasMore: ReadonlySet<string> = new Set(['slack', 'discord'])

const maxTopic = 300

export interface ChatPlace {
  readonly message: Pick<InboundMessage, 'source'>
  /** For people: `Telegram`. */
  readonly label: string
  /** Those that are connected, by name. */
  readonly platforms: readonly string[]
  /** The last conversation ended by itself. */
  readonly resetReason?: ResetReason
}

type Agent = Pick<AgentContext, 'config' | 'environment'>

/** What the agent is told of the chat that its conversation is in; undefined for what is no chat. */
export function chatPlace({ message: { source }, label, platforms, resetReason }: ChatPlace, agent: Agent) {
  if (source.platform === 'webhook') return undefined
  const topic = source.chatTopic === undefined ? '' : plainName(source.chatTopic, maxTopic)
  const homes = platforms.flatMap((name) => {
    const home = homeChannel(name, agent)
    return home ? [`${name} (${plainName(home.name)}, ${shownId(name, home.chatId, agent)})`] : []
  })
  const lines = [
    `- Place: ${label}, ${placeName(source)}`,
    ...(topic === '' ? [] : [`- Topic: ${topic}`]),
    writer(source, agent),
    ...(hasMore.has(source.platform)
      ? [`- You reach ${label} by messages alone: its search, pins, roles and lists of members are not there.`]
      : []),
    `- Connected: ${['files of this machine', ...platforms].join(', ')}`,
    ...(homes.length > 0 ? [`- Home channels: ${homes.join('; ')}`] : []),
    `- Scheduled tasks deliver to "origin" (this chat), "local" (a file), ${homes.length > 0 ? 'a platform (its home channel), ' : ''}or platform:chat-id.`,
    ...(resetReason === undefined ? [] : [resetNote(resetReason)]),
  ]
  return ['This conversation is in a chat:', ...lines].join('\n')
}

function placeName({ chatType, chatName, userName, threadId }: MessageSource): string {
  const name = plainName(chatName ?? '')
  if (chatType === 'dm') return `a direct chat with ${plainName(userName ?? chatName ?? '') || 'somebody'}`
  const kind = chatType === 'channel' ? 'the channel' : 'the group'
  return `${threadId === undefined ? '' : 'a thread of '}${kind}${name === '' ? '' : ` "${name}"`}`
}

/** In shared threads the speakers change: what is the same for all keeps the provider's cache. */
function writer({ platform, chatType, threadId, userId, userName }: MessageSource, agent: Agent): string {
  if (chatType !== 'dm' && threadId !== undefined) {
    return '- Several people may write here: each message begins with the name of who wrote it, in brackets.'
  }
  const name = plainName(userName ?? '')
  return `- Person: ${name !== '' || userId === undefined ? name || 'unknown' : shownId(platform, userId, agent, 'user_')}`
}

function shownId(platform: string, id: string, { config }: Agent, prefix = ''): string {
  if (!config.privacy.redact_pii || !numbersAreHidden.has(platform)) return id
  return `${prefix}${createHash('sha256').update(id).digest('hex').slice(0, 12)}`
}

function resetNote(reason: ResetReason): string {
  const why = reason === 'idle' ? 'nothing was said for long' : 'a new day began'
  return `- The last conversation in this chat ended by itself, since ${why}; what was said in it is not here. It can be found by session_search.`
}
