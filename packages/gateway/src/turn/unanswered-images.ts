import type { InboundAttachment } from '../messages/inbound-message.ts'

/** Sessions whose images are remembered. */
const maxSessions = 200

/**
 * Images of messages whose turns were cut short, by session. What is stored of a message is its text, so that the next
 * turn, which answers both, has to be shown them again.
 */
export interface UnansweredImages {
  of(sessionId: string): readonly InboundAttachment[]
  /** Those of a turn that was cut; none where it was not. */
  keep(sessionId: string, images: readonly InboundAttachment[]): void
}

export function createUnansweredImages(): UnansweredImages {
  const sessions = new Map<string, readonly InboundAttachment[]>()
  return {
    of: (sessionId) => sessions.get(sessionId) ?? [],
    keep(sessionId, images) {
      sessions.delete(sessionId)
      if (images.length === 0) return
      sessions.set(sessionId, images)
      const [oldest] = sessions.keys()
      if (sessions.size > maxSessions && oldest !== undefined) sessions.delete(oldest)
    },
  }
}
