import { randomBytes } from 'node:crypto'
import type { Clock } from '../agent/clock.ts'
import type { Redactor } from '../security/redact.ts'
import { adoptProcess } from './adopted-process.ts'
import { createNotificationQueue, type ProcessNotification } from './process-notification.ts'
import type { ProcessRecords } from './process-records.ts'
import { startProcess } from './started-process.ts'
import type { Terminal } from './terminal.ts'
import { TerminalError } from './terminal-error.ts'

/** A command to run in the background. */
export interface StartProcess {
  readonly command: string
  /** Where; the terminal's directory when absent. */
  readonly workdir?: string
  /** Under a pseudo-terminal, where there is one. */
  readonly pty: boolean
  /** Whether its end is worth a notification. */
  readonly notifyOnComplete: boolean
  /** Output lines that hold one of these are worth a notification. */
  readonly watchPatterns: readonly string[]
}

/** What is known of a background command. */
export interface ProcessInfo {
  /** `proc_<12 hex>` */
  readonly id: string
  readonly command: string
  readonly cwd: string
  readonly pid: number
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly endedAt: number | undefined
  readonly status: 'running' | 'exited'
  /** Negative when it was killed by that signal. Undefined while it runs, and where it cannot be known. */
  readonly exitCode: number | undefined
  /** Started by an earlier run of Hermes: it can be seen and killed, but not read or written to. */
  readonly detached: boolean
  readonly pty: boolean
}

/** A background command that is kept track of, until some time after its end. */
export interface TrackedProcess {
  readonly info: ProcessInfo
  /** The last 200,000 characters of its output. */
  output(): string
  /** Waits for its end; false when `timeoutMs` is over first. */
  wait(timeoutMs: number, signal: AbortSignal): Promise<boolean>
  /** Ends it with all its children: TERM, then KILL. False when it had ended before. */
  kill(): Promise<boolean>
  /** Writes to its standard input. Throws `TerminalError` where it has none, or no longer. */
  write(data: string): void
  closeInput(): void
  /** The agent knows how it ended, so it needs no notification. */
  markSeen(): void
}

/** The background commands of one session. */
export interface ProcessRegistry {
  /** Throws `TerminalError` with code `too-many` when too many are running. */
  start(request: StartProcess): Promise<TrackedProcess>
  /** All that are kept track of, oldest first; those that an earlier run left running are among them. */
  list(): Promise<readonly TrackedProcess[]>
  find(id: string): Promise<TrackedProcess | undefined>
  /** How many run that were started in this run. */
  readonly running: number
  /** What happened since it was last asked, oldest first; each is given once. Secrets redacted. */
  takeNotifications(): readonly ProcessNotification[]
  /** Calls `listener` when there is something new to take. Returns how to stop that. */
  onNotification(listener: () => void): () => void
  /** The session goes on under another id. */
  moveTo(sessionId: string): Promise<void>
  /** Ends all that run and were started in this run. */
  [Symbol.asyncDispose](): Promise<void>
}

export interface ProcessRegistryOptions {
  readonly sessionId: string
  /** Where commands run; opened when the first one starts. */
  readonly terminal: () => Promise<Terminal>
  readonly clock: Clock
  readonly redactor: Redactor
  /** Where running ones are noted, for the run after a crash. */
  readonly records: ProcessRecords
}

const maxTracked = 64
const keepFinishedMs = 30 * 60_000

export function createProcessRegistry(options: ProcessRegistryOptions): ProcessRegistry {
  const { clock, records, redactor } = options
  let { sessionId } = options
  const tracked = new Map<string, { readonly process: TrackedProcess; readonly request?: StartProcess }>()
  const notifications = createNotificationQueue(redactor)
  let adopting: Promise<void> | undefined

  /** Takes up, once, what an earlier run left running. */
  async function adopt(): Promise<void> {
    for (const record of await records.leftBy(sessionId)) {
      tracked.set(record.session_id, { process: adoptProcess(record, clock) })
    }
  }

  function forgetFinished(): void {
    const now = clock.now()
    for (const [id, { process }] of tracked) {
      const { endedAt } = process.info
      if (endedAt !== undefined && now - endedAt > keepFinishedMs) tracked.delete(id)
    }
    for (const [id, { process }] of tracked) {
      if (tracked.size < maxTracked) return
      if (process.info.status === 'exited') tracked.delete(id)
    }
  }

  async function all(): Promise<readonly TrackedProcess[]> {
    await (adopting ??= adopt())
    forgetFinished()
    return [...tracked.values()].map(({ process }) => process)
  }

  function runningHere(): TrackedProcess[] {
    const processes = [...tracked.values()].map(({ process }) => process)
    return processes.filter(({ info }) => info.status === 'running' && !info.detached)
  }

  function save(): Promise<void> {
    const running = [...tracked.values()].filter(({ process }) => process.info.status === 'running')
    return records.save(
      sessionId,
      running.flatMap(({ process, request }) => (request ? [{ info: process.info, request }] : [])),
    )
  }

  return {
    async start(request) {
      await all()
      if (tracked.size >= maxTracked) {
        throw new TerminalError('too-many', `${tracked.size} background processes are running; end some first`)
      }
      const id = `proc_${randomBytes(6).toString('hex')}`
      const terminal = await options.terminal()
      const process = await startProcess({
        id,
        request,
        terminal,
        clock,
        notify: (...happened) => notifications.add(...happened),
        onEnd: () => void save(),
      })
      tracked.set(id, { process, request })
      await save()
      return process
    },
    list: all,
    async find(id) {
      return (await all()).find(({ info }) => info.id === id)
    },
    get running() {
      return runningHere().length
    },
    async moveTo(id) {
      // What an earlier run left is taken up under the old id.
      await all()
      const before = sessionId
      sessionId = id
      await Promise.all([records.save(before, []), save()])
    },
    takeNotifications: () => notifications.take(),
    onNotification: (listener) => notifications.listen(listener),
    async [Symbol.asyncDispose]() {
      notifications.close()
      await Promise.all(runningHere().map((process) => process.kill()))
      await save()
    },
  }
}
