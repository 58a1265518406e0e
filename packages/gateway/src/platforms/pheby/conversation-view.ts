import type { PhebyEvent, PhebyOf } from '@hermes/protocol/pheby/types.ts'
import { sourceOf } from './pheby.ts'
import type { Pheby } from './pheby.ts'
import type { Conversation } from './store/conversations.ts'
import { timestamp } from './timestamp.ts'

type Listed = PhebyOf<PhebyEvent, 'conversation.snapshot'>['conversations'][number]

/** What a conversation is called that nobody has named. */
const unnamed = 'New chat'

/** The session that a conversation is in now; undefined before its first message. */
export async function sessionOf({ host }: Pick<Pheby, 'host'>, conversationId: string) {
  const chat = await host.chats.sessions.find(host.sessionKey(sourceOf(conversationId)))
  if (!chat) return undefined
  return { chat, session: await host.chats.live.current.sessions.carriedOnBy(chat.sessionId) }
}

export function nameOf({ name }: Pick<Conversation, 'name'>, title?: string): string {
  return name || title || unnamed
}

/** A conversation as clients list it. */
export async function listed(pheby: Pick<Pheby, 'host'>, conversation: Conversation): Promise<Listed> {
  const { id, lastActive } = conversation
  const { chat, session } = (await sessionOf(pheby, id)) ?? {}
  const times = [lastActive, chat?.updatedAt].filter((at) => at !== undefined)
  return {
    conversation_id: id,
    name: nameOf(conversation, session?.title),
    session_id: session?.id ?? chat?.sessionId ?? null,
    last_active: times.length > 0 ? timestamp(Math.max(...times)) : null,
    source: 'hermes',
  }
}
