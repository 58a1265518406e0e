import { settlesWithin } from './settles-within.ts'

/** Most milliseconds that a group gets between TERM and KILL. */
export const killGraceMs = 1000

/** Signals every process of a group. False when there is none left. */
export function signalGroup(groupId: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-groupId, signal)
    return true
  } catch (error) {
    // EPERM: the group lives, but what is left of it belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

interface Group {
  /** Resolves when its leader has ended and nobody writes to its output any more. */
  readonly gone: Promise<void>
  /** Stops reading its output. */
  readonly abandon: () => void
}

/** The process groups that a terminal has started, so that none outlives it by accident. */
export class ProcessGroups {
  readonly #live = new Map<number, Group>()
  readonly #dying = new Map<number, NodeJS.Timeout>()
  #isDisposed = false

  /** Follows a group until it is gone. */
  add(groupId: number, group: Group): void {
    if (this.#isDisposed) this.end(groupId, 0)
    this.#live.set(groupId, group)
    void group.gone.then(() => this.#live.delete(groupId))
  }

  /** TERM now, KILL after the grace to all that are still there. */
  end(groupId: number, graceMs = killGraceMs): void {
    if (this.#dying.has(groupId) || !signalGroup(groupId, 'SIGTERM')) return
    this.#dying.set(
      groupId,
      setTimeout(() => this.#kill(groupId), graceMs),
    )
  }

  /** Its leader has ended: when nobody else is left, there is nobody to kill later. */
  leaderEnded(groupId: number): void {
    if (this.#dying.has(groupId) && !signalGroup(groupId, 0)) this.#forget(groupId)
  }

  /** Gives up the oldest when more than `most` are alive: writing to us then fails for them. */
  limit(most: number): void {
    for (const [groupId, group] of this.#live) {
      if (this.#live.size <= most) return
      this.#live.delete(groupId)
      group.abandon()
    }
  }

  /** TERM to all at once. */
  endAll(): void {
    for (const groupId of this.#live.keys()) signalGroup(groupId, 'SIGTERM')
  }

  /** Ends all: TERM, then KILL after the grace. */
  async dispose(): Promise<void> {
    this.#isDisposed = true
    for (const groupId of this.#dying.keys()) this.#kill(groupId)
    const groups = [...this.#live]
    this.endAll()
    await settlesWithin(Promise.all(groups.map(([, group]) => group.gone)), killGraceMs)
    for (const [groupId, group] of groups) {
      if (!this.#live.has(groupId)) continue
      signalGroup(groupId, 'SIGKILL')
      group.abandon()
    }
  }

  #kill(groupId: number): void {
    this.#forget(groupId)
    signalGroup(groupId, 'SIGKILL')
  }

  #forget(groupId: number): void {
    clearTimeout(this.#dying.get(groupId))
    this.#dying.delete(groupId)
  }
}
