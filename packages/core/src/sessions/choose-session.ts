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
  /** Which sessions the person may see; all when absent. */
  readonly isShown?: (session: Session) => boolean
}

/** So many are looked through for those that the person may see. */
const lookedThrough = 200

type Shown = Pick<SessionListOptions, 'source' | 'isShown'>

/** The session that a person means by a number of the list, a title or an id: the one that carries it on now. */
export async function chooseSession(
  sessions: SessionStore,
  wanted: string,
  shown: Shown = {},
): Promise<Session | undefined> {
  if (/^[1-9]\d?$/.test(wanted)) {
    const numbered = (await recentSessions(sessions, shown))[Number(wanted) - 1]
    if (numbered) return sessions.carriedOnBy(numbered.id)
  }
  const named = await sessions.resolve(wanted)
  const isHidden = !named || (shown.source !== undefined && named.source !== shown.source)
  return isHidden || shown.isShown?.(named) === false ? undefined : sessions.carriedOnBy(named.id)
}

/** What is written after `/resume` to come back to a session: its title, unless that means another one. */
export async function wayBack(sessions: SessionStore, { id, title }: Session, shown: Shown = {}): Promise<string> {
  if (title === undefined) return id
  const named = await chooseSession(sessions, title, shown)
  return named?.id === id ? title : id
}

/** The latest sessions with their numbers; undefined where there are none. */
export async function sessionList(
  sessions: SessionStore,
  { currentId, now, ...shown }: SessionListOptions,
): Promise<string | undefined> {
  const found = await recentSessions(sessions, shown)
  if (found.length === 0) return undefined
  // A conversation that was compacted is listed under the session that it began as.
  const current = await Promise.all(found.map((one) => sessions.carriedOnBy(one.id)))
  const { source } = shown
  return found
    .map((one, index) => {
      const isCurrent = current[index]?.id === currentId
      return sessionRow(one, { number: index + 1, isCurrent, now, source })
    })
    .join('\n')
}

/** The latest sessions, in the order of the list. */
export async function recentSessions(
  sessions: SessionStore,
  { source, isShown }: Shown,
): Promise<readonly SessionListing[]> {
  if (!isShown) return sessions.list({ limit: listed, source })
  const all = await sessions.list({ limit: lookedThrough, source })
  return all.filter(isShown).slice(0, listed)
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
