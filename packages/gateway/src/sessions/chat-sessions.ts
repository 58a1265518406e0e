import { newSessionId } from '@hermes/core/sessions/session-id.ts'
import type { AgentContext } from '@hermes/core/agent/context.ts'
import type { Database } from '@hermes/core/storage/database.ts'
import type { MessageSource } from '../messages/inbound-message.ts'
import type { ChatRef } from '../messages/outbound-message.ts'
import { resetPolicyOf, resetReason } from './reset-policy.ts'
import type { ResetReason } from './reset-policy.ts'

/** The session that a chat is in. */
export interface ChatSession {
  readonly sessionKey: string
  readonly sessionId: string
  /** Times in ms since 1970. */
  readonly createdAt: number
  readonly updatedAt: number
  readonly source: MessageSource
}

/** A chat's session for its next message. */
export interface CurrentSession extends ChatSession {
  /** The one before is over, by itself: why, and which it was. */
  readonly resetReason?: ResetReason
  readonly before?: string
  /** Nothing was said in the chat before. */
  readonly isFirst?: boolean
}

/** Which session each chat is in. */
export interface ChatSessions {
  /**
   * The session that a message goes to: the chat's own, or a new one where that is over or there is none. `inStep` writes
   * what belongs to it into the same store, in the same transaction.
   */
  forMessage(
    sessionKey: string,
    source: MessageSource,
    inStep?: (session: CurrentSession) => void,
  ): Promise<CurrentSession>
  find(sessionKey: string): Promise<ChatSession | undefined>
  /** The chat goes on as another session: after a compaction, `/new`, `/resume`. */
  moveTo(sessionKey: string, sessionId: string, source: MessageSource): Promise<ChatSession>
  /** Takes over what another program has noted, where that is newer. Resolves to whether it was. */
  adopt(session: ChatSession): Promise<boolean>
  /** The session used last in a chat, of whoever spoke there. */
  inChat(chat: Pick<ChatRef, 'platform' | 'chatId' | 'threadId'>): Promise<ChatSession | undefined>
  /** Forgets in which session a chat was: its next message begins anew. */
  remove(sessionKey: string): Promise<void>
  /** Used last first. */
  all(): Promise<readonly ChatSession[]>
}

export function createChatSessions(
  db: Database,
  /** With its settings as they are now. */
  agent: () => Pick<AgentContext, 'clock' | 'config' | 'scopes'>,
  /** A chat's session was used or is another one. */
  onChange: (session: ChatSession) => void = () => {},
): ChatSessions {
  const read = (sessionKey: string) => {
    const row = db.prepare('SELECT * FROM chat_sessions WHERE session_key = ?').get(sessionKey)
    return row && sessionOf(row)
  }
  const put = (session: ChatSession) => {
    db.prepare(
      `INSERT INTO chat_sessions VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET session_id = excluded.session_id,
       created_at = excluded.created_at, updated_at = excluded.updated_at, source = excluded.source`,
    ).run(session.sessionKey, session.sessionId, session.createdAt, session.updatedAt, JSON.stringify(session.source))
    return session
  }
  const telling = async <Changed extends ChatSession>(writing: Promise<Changed>): Promise<Changed> => {
    const session = await writing
    onChange(session)
    return session
  }
  const choose = (sessionKey: string, source: MessageSource): CurrentSession => {
    const { clock, config, scopes } = agent()
    const now = clock.now()
    const present = read(sessionKey)
    // What still runs in a session would be lost with it.
    const isAlive = present !== undefined && scopes.get(present.sessionId).processes.running > 0
    const policy = resetPolicyOf(config, source.platform, source.chatType)
    const reason = present && !isAlive ? resetReason(policy, present.updatedAt, clock) : undefined
    if (present && reason === undefined) return put({ ...present, updatedAt: now, source })
    const fresh = put({ sessionKey, sessionId: newSessionId(clock), createdAt: now, updatedAt: now, source })
    return {
      ...fresh,
      isFirst: present === undefined,
      ...(present && reason && { resetReason: reason, before: present.sessionId }),
    }
  }
  const readAll = () => allIn(db)
  return {
    forMessage: (sessionKey, source, inStep) =>
      telling(
        db.write((): CurrentSession => {
          const session = choose(sessionKey, source)
          inStep?.(session)
          return session
        }),
      ),
    find: (sessionKey) => db.read(() => read(sessionKey)),
    moveTo: (sessionKey, sessionId, source) =>
      telling(
        db.write(() => {
          const now = agent().clock.now()
          const createdAt = read(sessionKey)?.createdAt ?? now
          return put({ sessionKey, sessionId, createdAt, updatedAt: now, source })
        }),
      ),
    adopt: (session) =>
      db.write(() => {
        const present = read(session.sessionKey)
        if (present && present.updatedAt >= session.updatedAt) return false
        put(session)
        return true
      }),
    inChat: ({ platform, chatId, threadId }) =>
      db.read(() =>
        readAll().find(({ source }) => {
          const isChat = source.platform === platform && source.chatId === chatId
          return isChat && (threadId === undefined || source.threadId === threadId)
        }),
      ),
    remove: (sessionKey) =>
      db.write(() => void db.prepare('DELETE FROM chat_sessions WHERE session_key = ?').run(sessionKey)),
    all: () => db.read(readAll),
  }
}

/** All that are in a store, for whoever only looks; used last first. */
export function readChatSessions(db: Database): Promise<readonly ChatSession[]> {
  return db.read(() => allIn(db))
}

function allIn(db: Database): readonly ChatSession[] {
  return db.prepare('SELECT * FROM chat_sessions ORDER BY updated_at DESC').all().map(sessionOf)
}

function sessionOf(row: Readonly<Record<string, unknown>>): ChatSession {
  return {
    sessionKey: String(row['session_key']),
    sessionId: String(row['session_id']),
    createdAt: Number(row['created_at']),
    updatedAt: Number(row['updated_at']),
    // Written by this file alone.
    source: JSON.parse(String(row['source'])) as MessageSource,
  }
}
