/** What a session remembers of its checkpoints. */
export interface SessionCheckpoints {
  /** Folders of which the running turn has one, or is taking one. */
  readonly taken: Map<string, Promise<void>>
  /** What people were told already. */
  readonly told: Set<string>
}

export function createSessionCheckpoints(): SessionCheckpoints {
  return { taken: new Map(), told: new Set() }
}
