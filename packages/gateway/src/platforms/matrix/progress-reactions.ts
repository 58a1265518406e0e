import { randomUUID } from 'node:crypto'
import type { ChatRef } from '../../messages/outbound-message.ts'
import type { Connection, ProgressMark } from '../platform.ts'
import type { MatrixClient } from './client.ts'
import { redactEvent, sendEvent } from './room-calls.ts'

const emojis = { working: '👀', done: '✅', failed: '❌' } as const satisfies Record<ProgressMark, string>

/** Reactions of ours that may be taken away again. */
const maxShown = 500

/** Shows by reactions how far the work on a message is. */
export function createProgressReactions(client: MatrixClient): NonNullable<Connection['reactions']> {
  const shown = new Map<string, string>()
  return {
    async react({ chatId: roomId }: ChatRef, messageId, mark, signal) {
      const before = shown.get(messageId)
      shown.delete(messageId)
      if (before !== undefined) {
        await redactEvent(client, { roomId, eventId: before, transaction: randomUUID() }, signal)
      }
      if (mark === undefined) return
      const reaction = await react(client, { roomId, messageId, key: emojis[mark] }, signal)
      if (mark !== 'working') return
      shown.set(messageId, reaction)
      const [oldest] = shown.keys()
      if (shown.size > maxShown && oldest !== undefined) shown.delete(oldest)
    },
  }
}

/** Reacts to a message. Reactions are never encrypted: the server counts them. */
export function react(
  client: MatrixClient,
  { roomId, messageId, key }: { readonly roomId: string; readonly messageId: string; readonly key: string },
  signal: AbortSignal,
): Promise<string> {
  const content = { 'm.relates_to': { rel_type: 'm.annotation', event_id: messageId, key } }
  return sendEvent(client, { roomId, type: 'm.reaction', content, transaction: randomUUID() }, signal)
}
