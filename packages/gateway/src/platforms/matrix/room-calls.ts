import { z } from 'zod'
import { apiPath } from './client.ts'
import type { MatrixClient } from './client.ts'

const anything = z.unknown()

/** Shows that a message was read. Nothing waits for it. */
export function markRead(client: MatrixClient, roomId: string, eventId: string, signal: AbortSignal): void {
  const path = apiPath`/client/v3/rooms/${roomId}/receipt/m.read/${eventId}`
  // It is only seen that nobody read it.
  client.call(anything, { method: 'POST', path, body: {} }, signal).catch(() => undefined)
}

export async function setTyping(
  client: MatrixClient,
  { roomId, userId, timeoutMs }: { readonly roomId: string; readonly userId: string; readonly timeoutMs: number },
  signal: AbortSignal,
): Promise<void> {
  const path = apiPath`/client/v3/rooms/${roomId}/typing/${userId}`
  const body = timeoutMs > 0 ? { typing: true, timeout: timeoutMs } : { typing: false }
  await client.call(anything, { method: 'PUT', path, body }, signal)
}

export async function joinRoom(client: MatrixClient, roomId: string, signal: AbortSignal): Promise<void> {
  await client.call(
    anything,
    { method: 'POST', path: apiPath`/client/v3/join/${roomId}`, body: {}, timeoutMs: 120_000 },
    signal,
  )
}

const sent = z.looseObject({ event_id: z.string() })

export interface EventToSend {
  readonly roomId: string
  readonly type: string
  readonly content: unknown
  /** The server takes the same event once. */
  readonly transaction: string
}

/** Sends an event as it is. Resolves to its id. */
export async function sendEvent(client: MatrixClient, event: EventToSend, signal: AbortSignal): Promise<string> {
  const { roomId, type, content, transaction } = event
  const path = apiPath`/client/v3/rooms/${roomId}/send/${type}/${transaction}`
  const answer = await client.call(sent, { method: 'PUT', path, body: content, timeoutMs: 45_000 }, signal)
  return answer.event_id
}

export async function redactEvent(
  client: MatrixClient,
  { roomId, eventId, transaction }: { readonly roomId: string; readonly eventId: string; readonly transaction: string },
  signal: AbortSignal,
): Promise<void> {
  const path = apiPath`/client/v3/rooms/${roomId}/redact/${eventId}/${transaction}`
  await client.call(anything, { method: 'PUT', path, body: {} }, signal)
}
