import type { PhebyErrorCode } from '@hermes/protocol/pheby/error-codes.ts'
import type { PhebyEvent } from '@hermes/protocol/pheby/types.ts'
import type { WebSocket } from 'ws'
import { timestamp } from './timestamp.ts'

/** More than this waits to be read: drafts are left out; far more: the client is cut off. Bytes. */
const [draftBytes, mostBytes] = [256 * 1024, 16 * 1024 * 1024]

/** Close code of a server that cannot go on with a client now. */
const tryAgainLater = 1013

/** Requests that may come at once before the rate counts. */
const burst = 60

/** Requests of one client that are worked on at the same time. */
const maxUnderWay = 32

/** One connection of the app. */
export interface Client {
  send(event: PhebyEvent): void
  /** The same for something that is written out already; a draft is left out where the client reads slowly. */
  sendText(text: string, isDraft: boolean): void
  refuse(code: PhebyErrorCode, message: string, requestId?: string): void
  /** Does a request; refuses it where there are too many. */
  take(requestId: string | undefined, work: () => Promise<void>): Promise<void>
  readonly isOpen: boolean
}

export interface ClientOptions {
  readonly socket: WebSocket
  readonly requestsPerMinute: number
  /** Ms since 1970. */
  readonly now: () => number
}

export function createClient({ socket, requestsPerMinute, now }: ClientOptions): Client {
  let tokens = Math.max(burst, requestsPerMinute / 10)
  const most = tokens
  let filledAt = now()
  let underWay = 0

  function mayAsk(): boolean {
    const at = now()
    tokens = Math.min(most, tokens + (Math.max(0, at - filledAt) * requestsPerMinute) / 60_000)
    filledAt = at
    if (tokens < 1 || underWay >= maxUnderWay) return false
    tokens -= 1
    return true
  }

  const client: Client = {
    send: (event) => client.sendText(JSON.stringify(event), false),
    sendText(text, isDraft) {
      if (socket.readyState !== socket.OPEN) return
      if (isDraft && socket.bufferedAmount > draftBytes) return
      if (socket.bufferedAmount > mostBytes) {
        socket.close(tryAgainLater, 'too slow')
        socket.terminate()
        return
      }
      socket.send(text)
    },
    refuse: (code, message, requestId) => client.send(errorEvent({ code, message }, requestId, now())),
    async take(requestId, work) {
      if (!mayAsk()) return client.refuse('rate_limited', 'Too many requests; try again in a moment', requestId)
      underWay++
      try {
        await work()
      } finally {
        underWay--
      }
    },
    get isOpen() {
      return socket.readyState === socket.OPEN
    },
  }
  return client
}

/** The one shape of what was not done. `at`: ms since 1970. */
export function errorEvent(
  error: { readonly code: PhebyErrorCode; readonly message: string },
  requestId: string | undefined,
  at: number,
): PhebyEvent {
  return { type: 'error', ...(requestId !== undefined && { request_id: requestId }), error, ts: timestamp(at) }
}
