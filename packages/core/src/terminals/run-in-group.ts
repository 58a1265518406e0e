import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { killGraceMs, signalGroup } from './process-groups.ts'

export interface GroupRun {
  readonly program: string
  readonly args: readonly string[]
  /** That of this process where it is absent. */
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly cwd?: string
  /** Written to its input, which is then closed. */
  readonly input?: string
  readonly timeoutMs: number
  /** Most that it may print to either output, UTF-16 units; it is ended beyond that. */
  readonly maxChars: number
}

export interface GroupOutcome {
  /** `exited` by itself; `not-started` for `failure`; `late` and `too-much`: it was ended. */
  readonly end: 'exited' | 'not-started' | 'late' | 'too-much'
  /** 128 + n after signal n; -1 where it did not exit by itself. */
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  readonly failure?: Error
}

/**
 * Runs a program to its end, in a process group of its own. At its time limit, past its limit of output and when `signal`
 * aborts, whose reason is then thrown, all of the group is ended: by TERM, and what ignores that by KILL. Nobody waits for
 * that. What a program that ends by itself leaves running goes on.
 */
export function runInGroup(run: GroupRun, signal: AbortSignal): Promise<GroupOutcome> {
  const { promise, resolve, reject } = Promise.withResolvers<GroupOutcome>()
  if (signal.aborted) return Promise.reject(signal.reason)
  const { program, args, env, cwd, input, timeoutMs, maxChars } = run
  const child = spawn(program, args, { env, cwd, detached: true, stdio: 'pipe' })
  const printed = { stdout: '', stderr: '' }
  let isSettled = false
  const settle = (outcome: Omit<GroupOutcome, 'stdout' | 'stderr'> | undefined) => {
    if (isSettled) return
    isSettled = true
    clearTimeout(timer)
    signal.removeEventListener('abort', abort)
    if (outcome) resolve({ ...outcome, ...printed })
    else reject(signal.reason)
  }
  const stop = (outcome: 'late' | 'too-much' | undefined) => {
    if (isSettled) return
    settle(outcome && { end: outcome, code: -1 })
    endGroup(child.pid)
    // Who left the group may hold them still.
    setTimeout(() => {
      for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe.destroy()
    }, killGraceMs).unref()
  }
  const abort = () => stop(undefined)
  const timer = setTimeout(() => stop('late'), timeoutMs)
  signal.addEventListener('abort', abort, { once: true })
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      if (isSettled) return
      printed[name] = (printed[name] + text).slice(0, maxChars)
      if (printed[name].length === maxChars) stop('too-much')
    })
  }
  // A program that reads nothing closes its input before all is written.
  child.stdin.on('error', () => undefined).end(input)
  child.once('error', (failure) => settle({ end: 'not-started', code: -1, failure }))
  child.once('close', (code, killedBy) =>
    settle({ end: 'exited', code: code ?? 128 + (killedBy ? constants.signals[killedBy] : 0) }),
  )
  return promise
}

/** TERM to all of a group now, KILL after the grace to those that are still there. */
export function endGroup(groupId: number | undefined): void {
  if (groupId === undefined || !signalGroup(groupId, 'SIGTERM')) return
  const until = performance.now() + killGraceMs
  const look = setInterval(() => {
    const isOver = performance.now() >= until
    if (!isOver && signalGroup(groupId, 0)) return
    clearInterval(look)
    if (isOver) signalGroup(groupId, 'SIGKILL')
  }, killGraceMs / 20)
}
