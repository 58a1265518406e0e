/** What people say to turns that run. */
export interface Steering {
  /** A turn of a chat begins: `take` gives it what was said since it was last asked. */
  open(sessionKey: string): { readonly take: () => readonly string[]; readonly close: () => void }
  isOpen(sessionKey: string): boolean
  /** Says something to a chat's turn. Resolves to whether the turn took it; false where it ended before. */
  say(sessionKey: string, text: string, signal: AbortSignal): Promise<boolean>
}

interface Said {
  readonly text: string
  readonly settle: (isTaken: boolean) => void
}

export function createSteering(): Steering {
  const turns = new Map<string, Said[]>()
  return {
    open(sessionKey) {
      const waiting: Said[] = []
      turns.set(sessionKey, waiting)
      return {
        take() {
          const taken = waiting.splice(0)
          for (const { settle } of taken) settle(true)
          return taken.map(({ text }) => text)
        },
        close() {
          if (turns.get(sessionKey) === waiting) turns.delete(sessionKey)
          for (const { settle } of waiting.splice(0)) settle(false)
        },
      }
    },
    isOpen: (sessionKey) => turns.has(sessionKey),
    async say(sessionKey, text, signal) {
      const waiting = turns.get(sessionKey)
      if (!waiting) return false
      signal.throwIfAborted()
      const { promise, resolve, reject } = Promise.withResolvers<boolean>()
      const said = { text, settle: resolve }
      const abort = () => {
        const at = waiting.indexOf(said)
        if (at >= 0) waiting.splice(at, 1)
        reject(signal.reason)
      }
      signal.addEventListener('abort', abort, { once: true })
      waiting.push(said)
      try {
        return await promise
      } finally {
        signal.removeEventListener('abort', abort)
      }
    },
  }
}
