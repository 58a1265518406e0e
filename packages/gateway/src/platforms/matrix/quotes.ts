import { apiPath } from './client.ts'
import { messageContent, roomEvent } from './events.ts'
import type { MessageContent } from './events.ts'
import { textOf } from './mention.ts'
import type { MatrixParts } from './take-event.ts'

/** Longest that it is waited for what a message answers, ms. */
const fetchMs = 10_000

/** What messages answer. */
export interface Quotes {
  /** The text that a message answers; undefined where it answers none, or that cannot be had. */
  of(roomId: string, content: MessageContent, signal: AbortSignal): Promise<string | undefined>
}

export function createQuotes({
  client,
  encryption,
  session,
  host,
}: Pick<MatrixParts, 'client' | 'encryption' | 'session' | 'host'>): Quotes {
  return {
    async of(roomId, content, signal) {
      const related = content['m.relates_to']
      const eventId = related?.['m.in_reply_to']?.event_id
      // In a thread every message names the one before it, for apps that know no threads.
      if (eventId === undefined || related?.is_falling_back) return undefined
      try {
        const path = apiPath`/client/v3/rooms/${roomId}/event/${eventId}`
        const event = await client.call(roomEvent, { method: 'GET', path, timeoutMs: fetchMs }, signal)
        const opened = event.type === 'm.room.encrypted' ? await encryption?.open(roomId, event) : event
        if (typeof opened !== 'object' || opened.type !== 'm.room.message') return undefined
        const said = textOf(messageContent.parse(opened.content), { userId: session.userId, displayName: undefined })
        return said === '' ? undefined : said
      } catch (error) {
        signal.throwIfAborted()
        host.log.debug({ error: String(error) }, 'what a message answers cannot be had')
        return undefined
      }
    },
  }
}
