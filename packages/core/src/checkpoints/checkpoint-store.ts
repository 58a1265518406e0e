/** The state of a folder at a moment, kept outside of it. */
export interface Checkpoint {
  /** Full id. */
  readonly hash: string
  readonly shortHash: string
  readonly takenAt: Date
  /** Why it was taken, e.g. `before write_file: src/a.ts`. */
  readonly reason: string
  /** What had changed since the checkpoint before it; nothing for the oldest one. */
  readonly filesChanged: number
  readonly insertions: number
  readonly deletions: number
}

/** What taking a checkpoint came to. */
export interface Taken {
  /** Undefined: nothing had changed since the newest one. */
  readonly hash: string | undefined
  /** Files that are too large, cannot be read or have a name that is no text; relative to the folder. */
  readonly leftOut: readonly string[]
  /** Whether `tidy` is worth its time. */
  readonly needsTidying: boolean
}

/** What a restore would do; paths are relative to the folder. */
export interface RestorePlan {
  /** Files that get their old content or mode, or come back. */
  readonly changed: readonly string[]
  /** Files that were made since: they go only with consent. */
  readonly created: readonly string[]
}

export interface RestoreRequest {
  readonly hash: string
  /** One file or folder, relative to the folder; everything when absent. */
  readonly path?: string
}

export interface Restored {
  readonly restored: readonly string[]
  readonly removed: readonly string[]
  /** Files made since that are still there. */
  readonly kept: readonly string[]
  /** What could not be restored, and why. */
  readonly problems: readonly string[]
  /** The checkpoint of the state before: restoring it takes this restore back. */
  readonly undo: string
}

/**
 * The checkpoints of one folder. Every call is safe beside others of this and other processes, throws `CheckpointError`
 * for what it cannot do, and, when `signal` aborts, its reason.
 */
export interface CheckpointStore {
  /** The folder, absolute, links followed. */
  readonly folder: string
  /** `files`: about to be changed; they are taken along although the project ignores them. */
  take(reason: string, files: readonly string[], signal: AbortSignal): Promise<Taken>
  /** Newest first. */
  list(signal: AbortSignal): Promise<readonly Checkpoint[]>
  /** What has changed since, as text: a summary and a patch. */
  diff(hash: string, signal: AbortSignal): Promise<{ readonly summary: string; readonly patch: string }>
  planRestore(request: RestoreRequest, signal: AbortSignal): Promise<RestorePlan>
  /** `remove`: the files made since that may go; a name that is not among them stays. */
  restore(request: RestoreRequest & { readonly remove: readonly string[] }, signal: AbortSignal): Promise<Restored>
  /** Drops old checkpoints: beyond the most that are kept, or that take too much room; frees their space. */
  tidy(signal: AbortSignal): Promise<void>
}

/** What the reasons of checkpoints taken before a rollback begin with; upstream's, too. */
const beforeRollback = /^(?:before rollback to|pre-rollback) /

/** The reason of a checkpoint that is taken before going back to another one. */
export function rollbackReason(hash: string): string {
  return `before rollback to ${hash.slice(0, 8)}`
}

/** Whether going back to it takes a rollback back. */
export function isBeforeRollback({ reason }: Pick<Checkpoint, 'reason'>): boolean {
  return beforeRollback.test(reason)
}

export type CheckpointErrorCode =
  | 'no-git'
  | 'not-kept-here'
  | 'too-many-files'
  | 'too-large'
  | 'timeout'
  | 'busy'
  | 'not-found'
  | 'bad-path'
  | 'git'

/** A checkpoint could not be taken, read or restored. Callers branch on `code`, people read `message`. */
export class CheckpointError extends Error {
  override readonly name = 'CheckpointError'
  readonly code: CheckpointErrorCode

  constructor(code: CheckpointErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}
