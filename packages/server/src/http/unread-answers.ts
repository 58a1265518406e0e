import type { ServerResponse } from 'node:http'

/** Long answers, which are held until their clients have taken them. */
export interface UnreadAnswers {
  /** Bytes of all that are held. */
  readonly bytes: number
  /** Sends the body of an answer whose head is written; resolves when it is sent, or its client counts as gone. */
  send(response: ServerResponse, body: Buffer): Promise<void>
}

export interface UnreadLimits {
  /** How long a client may take nothing; then it counts as gone. Default 5 minutes. */
  readonly unreadMs?: number
  /** Of all answers that are held. */
  readonly maxBytes?: number
}

interface Held {
  readonly bytes: number
  /** Ends its connection. */
  cut(): void
}

/** Bytes that are given to a connection at a time; when they are gone its client reads. */
const pieceBytes = 256_000

/**
 * Where a new answer makes them more than the limit, those go whose clients have taken nothing for longest. The new one
 * stays, however long it is.
 */
export function createUnreadAnswers({ unreadMs = 300_000, maxBytes = 64_000_000 }: UnreadLimits = {}): UnreadAnswers {
  /** The one whose client has taken something last comes last. */
  const held = new Set<Held>()
  let bytes = 0
  const makeRoom = () => {
    for (const oldest of held) {
      if (bytes <= maxBytes || held.size === 1) return
      oldest.cut()
    }
  }
  return {
    get bytes() {
      return bytes
    },
    send(response, body) {
      const { socket } = response.req
      if (socket.destroyed) return Promise.resolve()
      const { promise, resolve } = Promise.withResolvers<void>()
      const one: Held = {
        bytes: body.length,
        cut() {
          leave()
          socket.destroy()
        },
      }
      let sent = 0
      const sendMore = () => {
        unread.refresh()
        held.delete(one)
        held.add(one)
        const piece = body.subarray(sent, sent + pieceBytes)
        sent += piece.length
        if (sent < body.length) response.write(piece)
        else response.off('drain', sendMore).end(piece, leave)
      }
      const leave = () => {
        clearTimeout(unread)
        response.off('drain', sendMore)
        socket.off('close', leave)
        if (held.delete(one)) bytes -= one.bytes
        resolve()
      }
      const unread = setTimeout(() => {
        // Behind an answer that is still being made, a client can read nothing.
        if (response.socket === null) unread.refresh()
        else one.cut()
      }, unreadMs)
      response.on('drain', sendMore)
      // An answer that is not its connection's turn yet has no `close` of its own.
      socket.once('close', leave)
      bytes += one.bytes
      sendMore()
      makeRoom()
      return promise
    },
  }
}
