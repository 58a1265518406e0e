import type { Clock } from '@hermes/core/agent/clock.ts'
import type { SessionListing } from '@hermes/core/sessions/store.ts'
import { columnLines } from './columns.ts'
import { timeAgo } from './time-text.ts'

/** Sessions as a table, heading first; titles have a column where any session has one. */
export function sessionLines(sessions: readonly SessionListing[], clock: Clock, width?: number): string[] {
  const ago = (session: SessionListing) => timeAgo(session.lastActiveAt, clock)
  if (sessions.some(({ title }) => title !== undefined)) {
    return columnLines(
      [
        { heading: 'Title', most: 36 },
        { heading: 'Preview', isFlexible: true },
        { heading: 'Last Active' },
        { heading: 'ID' },
      ],
      sessions.map((session) => [session.title ?? '—', session.preview, ago(session), session.id]),
      width,
    )
  }
  return columnLines(
    [{ heading: 'Preview', isFlexible: true }, { heading: 'Last Active' }, { heading: 'Src' }, { heading: 'ID' }],
    sessions.map((session) => [session.preview, ago(session), session.source, session.id]),
    width,
  )
}
