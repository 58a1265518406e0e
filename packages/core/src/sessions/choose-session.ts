import { ago } from '../text/ago.ts'
import type { Session, SessionListing, SessionStore } from './store.ts'

/** How many sessions are listed and can be named by their number. */
const listed = 10

export interface SessionListOptions {
  /** The session that the person is in. */
  readonly currentId: string | undefined
  /** Ms since 1970. */
  readonly now: number
  /** Only sessions of one face. */
  readonly source?: string
}

/** The session that a person means by a number of the list, a title or an id: the one that carries it on now. */
export async function chooseSession(
  sessions: SessionStore,
  wanted: string,
  source?: string,
): Promise<Session | undefined> {
  if (/^[1-9]\d?$/.test(wanted)) {
    const recent = await sessions.list({ limit: listed, source })
    const numbered = recent[Number(wanted) - 1]
    if (numbered) return sessions.carriedOnBy(numbered.id)
  }
  const named = await sessions.resolve(wanted)
  return named && (source === undefined || named.source === source) ? sessions.carriedOnBy(named.id) : undefined
}

/** The latest sessions with their numbers; undefined where there are none. */
export async function sessionList(
  sessions: SessionStore,
  { currentId, now, source }: SessionListOptions,
): Promise<string | undefined> {
  const recent = await sessions.list({ limit: listed, source })
  if (recent.length === 0) return undefined
  // A conversation that was compacted is listed under the session that it began as.
  const current = await Promise.all(recent.map((one) => sessions.carriedOnBy(one.id)))
  return recent
    .map((one, index) =>
      sessionRow(one, { number: index + 1, isCurrent: current[index]?.id === currentId, now, source }),
    )
    .join('\n')
}

function sessionRow(
  one: SessionListing,
  how: { readonly number: number; readonly isCurrent: boolean; readonly now: number; readonly source?: string },
): string {
  const name = one.title ?? (one.preview || '(empty)')
  const facts = [
    ago(how.now - one.lastActiveAt),
    one.messageCount === 1 ? '1 message' : `${one.messageCount} messages`,
    one.source === 'cli' || how.source !== undefined ? '' : one.source,
  ]
  const mark = how.isCurrent ? '  (this one)' : ''
  return `${String(how.number).padStart(2)}. ${name}${mark}\n    ${one.id} · ${facts.filter(Boolean).join(' · ')}`
}
