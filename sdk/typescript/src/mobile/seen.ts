/** What was told already; a bounded memory of the latest. */
export interface Seen {
  /** False where it is known. */
  add(key: string): boolean
  has(key: string): boolean
}

/** The server keeps 500 items for redelivery; pieces of long replies count each. */
const maxKeys = 5_000

export function createSeen(): Seen {
  const keys = new Set<string>()
  return {
    has: (key) => keys.has(key),
    add(key) {
      if (keys.has(key)) return false
      keys.add(key)
      if (keys.size > maxKeys) for (const oldest of [...keys].slice(0, keys.size - maxKeys)) keys.delete(oldest)
      return true
    },
  }
}
