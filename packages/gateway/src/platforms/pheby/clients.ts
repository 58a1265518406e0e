import type { PhebyEvent } from '@hermes/protocol/pheby/types.ts'
import type { Client } from './client.ts'

/** Those who have signed in. */
export interface Clients {
  add(client: Client): void
  remove(client: Client): void
  /** Tells all of them, or all but one. */
  broadcast(event: PhebyEvent, but?: Client): void
  /** Notes a change of a conversation. */
  changed(conversationId: string): void
  /**
   * How often a conversation has changed, drafts left out: whoever puts a snapshot together sees by it whether something
   * has happened meanwhile.
   */
  changes(conversationId: string): number
}

/** Conversations whose changes are counted. */
const maxCounted = 10_000

export function createClients(): Clients {
  const clients = new Set<Client>()
  const counts = new Map<string, number>()
  let count = 0
  const changed = (conversationId: string) => {
    counts.delete(conversationId)
    counts.set(conversationId, ++count)
    if (counts.size <= maxCounted) return
    for (const oldest of counts.keys()) {
      counts.delete(oldest)
      return
    }
  }
  return {
    add: (client) => void clients.add(client),
    remove: (client) => void clients.delete(client),
    changed,
    broadcast(event, but) {
      const isDraft = event.type === 'message.delta'
      if (!isDraft && 'conversation_id' in event && event.conversation_id !== undefined) changed(event.conversation_id)
      if (clients.size === 0) return
      const text = JSON.stringify(event)
      for (const client of clients) if (client !== but) client.sendText(text, isDraft)
    },
    changes: (conversationId) => counts.get(conversationId) ?? 0,
  }
}
