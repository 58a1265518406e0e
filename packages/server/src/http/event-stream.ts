import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { chunkOf } from './chunk-of.ts'

export interface StreamOptions {
  readonly headers?: Readonly<Record<string, string>>
  /** Silence after which a comment tells proxies and clients that it goes on, ms. */
  readonly keepAliveMs: number
  /** How long a client may leave unread what it was sent; then it counts as gone. Default 5 minutes. */
  readonly unreadMs?: number
}

export interface EventFields {
  readonly event?: string
  readonly id?: number
}

/** Server-sent events to one client. */
export interface EventStream {
  /** Sends one event; resolves when the client keeps up. When it has gone: throws the reason of `signal`. */
  send(data: unknown, fields?: EventFields): Promise<void>
  /** The last event, as it is written on the wire. */
  end(text?: string): void
}

/** Answers with a stream. `signal` aborts when the client goes. */
export function openEventStream(
  response: ServerResponse,
  { headers, keepAliveMs, unreadMs = 300_000 }: StreamOptions,
  signal: AbortSignal,
): EventStream {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    'x-accel-buffering': 'no',
    ...headers,
  })
  response.flushHeaders()
  const keepAlive = setInterval(() => {
    // A client that does not read gets no more comments than it has room for.
    if (!response.writableNeedDrain) response.write(': keepalive\n\n')
  }, keepAliveMs)
  response.once('close', () => clearInterval(keepAlive))
  return {
    async send(data, { event, id } = {}) {
      signal.throwIfAborted()
      const lines = [
        ...(id === undefined ? [] : [`id: ${id}`]),
        ...(event === undefined ? [] : [`event: ${event}`]),
        `data: ${JSON.stringify(data)}`,
      ]
      keepAlive.refresh()
      if (response.write(chunkOf(`${lines.join('\n')}\n\n`))) return
      // A client that is there and reads nothing would hold its turn and its session for ever.
      const unread = setTimeout(() => response.destroy(), unreadMs)
      try {
        await once(response, 'drain', { signal })
      } finally {
        clearTimeout(unread)
      }
    },
    end(text) {
      clearInterval(keepAlive)
      response.end(text)
    },
  }
}
