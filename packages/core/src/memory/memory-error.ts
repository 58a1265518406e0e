import type { MemoryState } from './memory-files.ts'

export type MemoryErrorCode =
  /** The text is empty, or cannot be one entry. */
  | 'invalid'
  /** The text would steer the agent or give secrets away. */
  | 'unsafe'
  | 'over-limit'
  | 'not-found'
  /** Several entries match. */
  | 'ambiguous'
  /** The file on disk is no memory file, or keeps changing. */
  | 'unusable'

/** A change of memory was refused; nothing was written. `message` tells the model how to do better. */
export class MemoryError extends Error {
  override readonly name = 'MemoryError'
  readonly code: MemoryErrorCode
  /** What is in the file, where that helps. */
  readonly state: MemoryState | undefined
  /** The entries that match, when several do. */
  readonly matches: readonly string[]

  constructor(
    code: MemoryErrorCode,
    message: string,
    details: { state?: MemoryState; matches?: readonly string[] } = {},
  ) {
    super(message)
    this.code = code
    this.state = details.state
    this.matches = details.matches ?? []
  }
}
