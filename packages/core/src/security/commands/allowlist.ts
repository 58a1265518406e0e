/** Kinds of dangerous commands that are allowed for good, in every session of a profile. */
export interface CommandAllowlist {
  has(key: string): boolean
  /** Allows kinds from now on, and notes them where the next run finds them. Rejects when that fails. */
  add(keys: readonly string[]): Promise<void>
}

/** `keys`: those allowed so far. `persist` notes one more; without it they hold for this run alone. */
export function createCommandAllowlist(
  keys: readonly string[],
  persist?: (key: string) => Promise<void>,
): CommandAllowlist {
  const allowed = new Set(keys)
  return {
    has: (key) => allowed.has(key),
    async add(more) {
      for (const key of more) {
        if (allowed.has(key)) continue
        allowed.add(key)
        await persist?.(key)
      }
    },
  }
}
