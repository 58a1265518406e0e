import type { AgentContext } from '@hermes/core/agent/context.ts'
import { asWritten } from '../commands/as-written.ts'
import type { Hooks } from '../hooks/hooks.ts'
import { chatOf } from '../messages/chat-of.ts'
import type { Outbox } from '../store/outbox.ts'
import type { CurrentSession } from './chat-sessions.ts'
import { sessionNotices } from './session-notices.ts'

export interface SessionTelling {
  readonly agent: AgentContext
  readonly hooks: Pick<Hooks, 'emit'>
  readonly outbox: Outbox
  readonly wake: (platform: string) => void
  /** What commands begin with on the platform, where that is not a slash. */
  readonly commandStart: string | undefined
}

/** Tells the hooks and the chat of a session that a message begins; `messageRow` is the message's row in the inbox. */
export async function tellOfSession(
  session: CurrentSession,
  { isStored, messageRow }: { readonly isStored: boolean; readonly messageRow: number },
  { agent, hooks, outbox, wake, commandStart }: SessionTelling,
): Promise<void> {
  const { source, sessionId, sessionKey: key, before } = session
  const facts = { platform: source.platform, user_id: source.userId ?? '', session_key: key }
  if (before !== undefined) for (const event of ['session:end', 'session:reset']) hooks.emit(event, facts)
  if (!isStored) hooks.emit('session:start', { ...facts, session_id: sessionId })
  const notices = (await sessionNotices(session, agent)).map((text) => asWritten(text, commandStart))
  if (notices.length === 0) return
  const chat = chatOf(source)
  await outbox.add(
    notices.map((text, at) => ({
      key: `notice:${messageRow}:${at}`,
      chat,
      part: { type: 'text', text },
      isNotice: true,
    })),
  )
  wake(source.platform)
}
