import { createInbox } from '../connection/inbox.ts'
import type { AgentMessage } from './types.ts'

/** Pieces of a reply that has not ended; the oldest give way. */
const maxPieces = 10_000

/** Whole replies that wait to be taken. */
const maxWaiting = 1_000

/** Puts replies together from their pieces, which may be several messages; edits change what is still open. */
export interface Replies {
  add(piece: AgentMessage): void
  /** Gives a piece of the open reply another text; a streamed reply grows and, with `final`, ends so. */
  edit(piece: AgentMessage): void
  /** The pieces of the next whole reply. Rejects with `TimeoutError`. */
  take(timeoutMs: number): Promise<readonly string[]>
}

export function createReplies(): Replies {
  const whole = createInbox<readonly string[]>(maxWaiting)
  const open: AgentMessage[] = []
  const endAt = (last: number) => whole.add(open.splice(0, last + 1).map(({ text }) => text))
  return {
    add(piece) {
      open.push(piece)
      if (open.length > maxPieces) open.shift()
      if (piece.final) endAt(open.length - 1)
    },
    edit(piece) {
      const at = open.findLastIndex(({ id, index }) => id === piece.id && index === piece.index)
      if (at < 0) return
      open[at] = piece
      if (piece.final) endAt(at)
    },
    take: (timeoutMs) => whole.take(timeoutMs),
  }
}
