/** What a session remembers of its checkpoints. */
export interface SessionCheckpoints {
  /** Folders of which the running turn has one. */
  readonly taken: Set<string>
  /** What people were told already. */
  readonly told: Set<string>
}

export function createSessionCheckpoints(): SessionCheckpoints {
  return { taken: new Set(), told: new Set() }
}
