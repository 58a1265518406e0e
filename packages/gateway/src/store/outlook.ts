import type { Database } from '@hermes/core/storage/database.ts'
import { eventKey } from '../messages/inbound-message.ts'
import type { InboundMessage } from '../messages/inbound-message.ts'

/** How it stands with an event that was taken over, for faces that have lost sight of it by a restart. */
export interface Outlook {
  /** `unknown`: it was never stored. `open`: a turn answers it, or will. Else how it ended. */
  readonly state: 'unknown' | 'open' | 'answered' | 'refused' | 'failed'
  /** Texts and files of the answer that are still to go out. */
  readonly toSend: number
}

/** Looks at an event and at the messages that commands have made of it. */
export function outlookOf(
  db: Database,
  { eventId, source }: Pick<InboundMessage, 'eventId' | 'source'>,
): Promise<Outlook> {
  return db.read(() => {
    const events = [eventId, `${eventId}/ask`]
    const states = events.flatMap((id) => {
      // What the key is made of is all that is looked at.
      const key = eventKey({ eventId: id, source, text: '', attachments: [], sentAt: 0 })
      return db.prepare('SELECT state FROM inbox WHERE event_key = ?').get(key)?.['state'] ?? []
    })
    const waiting = db.prepare(
      `SELECT count(*) AS count FROM outbox WHERE platform = ? AND answers = ? AND state IN ('waiting', 'sending')`,
    )
    const toSend = events.reduce((sum, id) => sum + Number(waiting.get(source.platform, id)?.['count'] ?? 0), 0)
    const isOpen = states.some((state) => state === 'waiting' || state === 'running')
    return { state: isOpen ? 'open' : endOf(states.at(-1)), toSend }
  })
}

function endOf(state: unknown): Outlook['state'] {
  return state === 'answered' || state === 'refused' || state === 'failed' ? state : 'unknown'
}
