import type { Clock } from '../agent/clock.ts'
import { createTail } from './output-buffer.ts'
import { createOutputWatch } from './output-watch.ts'
import type { NotificationQueue } from './process-notification.ts'
import type { ProcessInfo, StartProcess, TrackedProcess } from './processes.ts'
import type { Terminal } from './terminal.ts'
import { settlesWithin } from './settles-within.ts'

const keptChars = 200_000
const notifiedChars = 2000

export interface StartedProcessOptions {
  readonly id: string
  readonly request: StartProcess
  readonly terminal: Terminal
  readonly clock: Clock
  readonly notify: NotificationQueue['add']
  readonly onEnd: () => void
}

/** Starts a command in the background and keeps the end of its output. */
export async function startProcess(options: StartedProcessOptions): Promise<TrackedProcess> {
  const { id, request, terminal, clock, notify } = options
  const { command } = request
  const output = createTail(keptChars)
  const watch = request.watchPatterns.length > 0 ? createOutputWatch(request.watchPatterns, clock) : undefined
  let end: Pick<ProcessInfo, 'endedAt' | 'exitCode'> | undefined
  let isKilled = false
  let isSeen = false

  function onOutput(text: string): void {
    output.push(text)
    const finding = watch?.push(text)
    if (finding?.type === 'match') notify({ ...finding, type: 'watch-match', processId: id, command })
    if (finding?.type === 'disabled') notify({ ...finding, type: 'watch-disabled', processId: id, command })
  }

  function onExit(code: number): void {
    const exitCode = isKilled && code > 128 ? 128 - code : code
    end = { endedAt: clock.now(), exitCode }
    options.onEnd()
    if (!request.notifyOnComplete) return
    const last = output.read().slice(-notifiedChars)
    notify({ type: 'completion', processId: id, command, exitCode, output: last }, () => !isSeen)
  }

  const cwd = request.workdir ?? terminal.cwd
  const startedAt = clock.now()
  const process = await terminal.spawn(command, { workdir: request.workdir, pty: request.pty, onOutput, onExit })
  const { pid, pty } = process
  return {
    get info(): ProcessInfo {
      const now = end ?? { endedAt: undefined, exitCode: undefined }
      return { id, command, cwd, pid, startedAt, status: end ? 'exited' : 'running', detached: false, pty, ...now }
    },
    output: () => output.read(),
    wait: (timeoutMs, signal) => settlesWithin(process.exited, timeoutMs, signal),
    async kill() {
      isSeen = true
      if (end) return false
      isKilled = true
      await process.kill()
      return true
    },
    write: (data) => process.write(data),
    closeInput: () => process.closeInput(),
    markSeen() {
      isSeen ||= end !== undefined
    },
  }
}
