import type { SearchHit, SearchOptions, SessionStore, StoredMessage } from '../../sessions/store.ts'
import { openLineages } from './lineage.ts'
import { type Transcript, transcriptOf } from './transcript.ts'

/** A conversation that a search found: one session, or several that go on from each other. */
export interface FoundConversation {
  /** The session that it began as. */
  readonly rootId: string
  /** It is the one that asks: an earlier part of it that its context no longer holds. */
  readonly isOwn: boolean
  /** The best first, never empty. */
  readonly hits: readonly SearchHit[]
  readonly transcript: Transcript
}

export interface ConversationSearch {
  readonly sessions: SessionStore
  /** The session that asks. */
  readonly sessionId: string
  readonly query: string
  readonly roles: SearchOptions['roles']
  /** Most conversations. */
  readonly limit: number
}

/** Hits looked at in one go, and goes, so that one talkative session does not hide the others. */
const pageHits = 50
const maxPages = 4

/** Sources whose sessions are the work of tools, not conversations. */
const hiddenSources = ['tool']

/** Sessions of one conversation that its transcript is made of. */
const maxSessions = 3

/**
 * The conversations that match best, without what the asking session's context holds: its own messages, and those that
 * its ancestors have handed on to it. What a compaction took out of its context is found.
 */
export async function findConversations(
  { sessions, sessionId, query, roles, limit }: ConversationSearch,
  signal: AbortSignal,
): Promise<readonly FoundConversation[]> {
  const lineages = openLineages(sessions)
  const own = (await lineages.root(sessionId))?.id ?? sessionId
  const isInContext = contextOf(sessions, sessionId)
  const excludeSessionIds = await lineages.live(sessionId)
  const groups = new Map<string, SearchHit[]>()
  for (let page = 0; page < maxPages && groups.size < limit; page += 1) {
    const options = {
      limit: pageHits,
      offset: page * pageHits,
      roles,
      excludeSources: hiddenSources,
      excludeSessionIds,
    }
    const hits = await sessions.search(query, options)
    for (const hit of hits) {
      signal.throwIfAborted()
      // What a search once answered tells of other conversations.
      if (hit.toolName === 'session_search') continue
      const root = (await lineages.root(hit.sessionId))?.id ?? hit.sessionId
      if (root === own && (await isInContext(hit))) continue
      groups.set(root, [...(groups.get(root) ?? []), hit])
    }
    if (hits.length < pageHits) break
  }
  const found = [...groups].slice(0, limit).map(async ([rootId, hits]) => {
    const transcript = await transcriptOfHits(sessions, hits)
    return { rootId, isOwn: rootId === own, hits, transcript }
  })
  return Promise.all(found)
}

/** Tells of a hit whether the session that asks has the very message in its context. */
function contextOf(sessions: SessionStore, sessionId: string): (hit: SearchHit) => Promise<boolean> {
  const loaded = new Map<string, Promise<readonly StoredMessage[]>>()
  const messagesOf = (id: string) => {
    const messages = loaded.get(id) ?? sessions.messages(id)
    loaded.set(id, messages)
    return messages
  }
  let context: Promise<ReadonlySet<string>> | undefined
  return async (hit) => {
    context ??= messagesOf(sessionId).then((messages) => new Set(messages.map(said)))
    const message = (await messagesOf(hit.sessionId)).find(({ id }) => id === hit.messageId)
    return message !== undefined && (await context).has(said(message))
  }
}

function said({ message }: StoredMessage): string {
  return `${message.role}\n${message.content}`
}

/** The sessions that the best hits are in, in the order in which they were written. */
async function transcriptOfHits(sessions: SessionStore, hits: readonly SearchHit[]): Promise<Transcript> {
  const ids = [...new Set(hits.map(({ sessionId }) => sessionId))].slice(0, maxSessions)
  const parts = await Promise.all(ids.map((id) => sessions.messages(id)))
  return transcriptOf(
    parts.flat().sort((a, b) => a.id - b.id),
    hits,
  )
}
