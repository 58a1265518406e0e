import type { Writable } from 'node:stream'

/**
 * Has the errors of a stream handled here and nowhere else: a terminal that is closed, or a reader that goes away, ends
 * the conversation in order, where the program at large would break off. Returns how to give them back.
 */
export function ownErrors(stream: Writable, handle: (error: Error) => void): () => void {
  const others = stream.listeners('error')
  stream.removeAllListeners('error')
  stream.on('error', handle)
  return () => {
    stream.off('error', handle)
    // They were listeners of this event before.
    for (const other of others) stream.on('error', other as (error: Error) => void)
  }
}
