import { setTimeout as delay } from 'node:timers/promises'
import type { Clock } from '../agent/clock.ts'
import { isRunning } from './process-identity.ts'
import type { ProcessRecord } from './process-record.ts'
import { killGraceMs, signalGroup } from './process-groups.ts'
import type { ProcessInfo, TrackedProcess } from './processes.ts'
import { TerminalError } from './terminal-error.ts'

/** How often a process that is not our child is looked at, ms: the system tells us nothing of its end. */
const lookEveryMs = 100

/** A background process of an earlier run of Hermes: it can be seen, waited for and killed. */
export function adoptProcess(record: ProcessRecord, clock: Clock): TrackedProcess {
  const { pid } = record
  let endedAt: number | undefined

  function hasEnded(): boolean {
    if (endedAt === undefined && !isRunning(pid, record.pid_started ?? undefined)) endedAt = clock.now()
    return endedAt !== undefined
  }

  async function wait(timeoutMs: number, signal?: AbortSignal): Promise<boolean> {
    const deadline = performance.now() + timeoutMs
    while (!hasEnded()) {
      const left = deadline - performance.now()
      if (left <= 0) return false
      await delay(Math.min(left, lookEveryMs), undefined, { signal })
    }
    return true
  }

  function refuseInput(): never {
    throw new TerminalError('closed', 'it was started by an earlier run of Hermes, so it has no input to write to')
  }

  return {
    get info(): ProcessInfo {
      const status = hasEnded() ? 'exited' : 'running'
      const { session_id: id, command } = record
      const startedAt = Math.round((record.started_at ?? 0) * 1000)
      return {
        id,
        command,
        cwd: record.cwd ?? '',
        pid,
        startedAt,
        endedAt,
        status,
        exitCode: undefined,
        detached: true,
        pty: false,
      }
    },
    output: () => '',
    wait,
    async kill() {
      if (hasEnded()) return false
      signalGroup(pid, 'SIGTERM')
      if (!(await wait(killGraceMs))) signalGroup(pid, 'SIGKILL')
      await wait(killGraceMs)
      return true
    },
    write: refuseInput,
    closeInput: refuseInput,
    markSeen() {},
  }
}
