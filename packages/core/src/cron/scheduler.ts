import { watch } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import type { AgentContext } from '../agent/context.ts'
import { settlesWithin } from '../terminals/settles-within.ts'
import { claimDue } from './claim-due.ts'
import type { Claim, InterruptedTime } from './claim-due.ts'
import { runClaim } from './run-claim.ts'
import { tellInterrupted } from './run-job.ts'
import { openRunner, usualConcurrency } from './runner.ts'
import type { CronRunner, RunnerOptions } from './runner.ts'

export interface SchedulerOptions extends RunnerOptions {
  /** Waits; when `signal` aborts, rejects. For tests with a clock of their own. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>
}

/** Runs a profile's jobs when they are due, for as long as its process lives. Several may share one home. */
export interface Scheduler {
  /** Resolves once it is watching. Throws `DatabaseError`. */
  start(): Promise<void>
  /** Takes no more jobs and waits for those that run, at most `drainMs` (default 30 s), then stops them. */
  stop(options?: { readonly drainMs?: number }): Promise<void>
  /** Jobs that run now. */
  readonly running: number
}

/**
 * Longest sleep. A change of the file and the next time wake it by themselves; this is for clocks that jump, for machines
 * that were asleep and for folders that cannot be watched.
 */
const longestSleepMs = 60_000

const handoverMs = 1_000

const usualDrainMs = 30_000

const lateEndMs = 10_000

export function createScheduler(options: SchedulerOptions): Scheduler {
  const { maxConcurrent = usualConcurrency, sleep = realSleep } = options
  const stopping = new AbortController()
  const ending = new AbortController()
  const running = new Set<Promise<unknown>>()
  const telling = new Set<Promise<unknown>>()
  let wake = new AbortController()
  let opened: CronRunner | undefined
  let loop: Promise<void> | undefined
  let stopWatching = () => {}

  const wakeUp = () => wake.abort()

  const begin = (claim: Claim, runner: CronRunner) => {
    const run = runClaim(claim, runner, ending.signal)
      .then((finished) => finished.forEach((one) => options.onRun?.(one)))
      .catch((error: unknown) => {
        runner.agent.log.error({ job: claim.job.id, error: String(error) }, 'the run of a job cannot be recorded')
      })
      .finally(() => {
        running.delete(run)
        wakeUp()
      })
    running.add(run)
  }

  const tell = (interrupted: InterruptedTime, runner: CronRunner) => {
    const told = tellInterrupted(interrupted, runner, ending.signal).finally(() => telling.delete(told))
    telling.add(told)
  }

  /** Begins what is due; resolves to the milliseconds until there is something to do. */
  const step = async (runner: CronRunner): Promise<number> => {
    const free = maxConcurrent - running.size
    if (free <= 0) return longestSleepMs
    try {
      const { claims, interrupted, wakeAt } = await claimDue(runner, free)
      for (const one of interrupted) tell(one, runner)
      for (const claim of claims) begin(claim, runner)
      if (wakeAt === undefined || running.size >= maxConcurrent) return longestSleepMs
      const ms = wakeAt - runner.place.now()
      // What is due and was not taken is in somebody else's hands.
      return ms <= 0 && claims.length === 0 ? handoverMs : Math.min(Math.max(ms, 0), longestSleepMs)
    } catch (error) {
      runner.agent.log.error({ error: String(error) }, 'scheduled jobs cannot be looked at')
      return longestSleepMs
    }
  }

  const go = async (runner: CronRunner) => {
    while (!stopping.signal.aborted) {
      wake = new AbortController()
      const { signal } = wake
      const ms = await step(runner)
      await sleep(ms, AbortSignal.any([signal, stopping.signal])).catch((error: unknown) => {
        if (!signal.aborted && !stopping.signal.aborted) throw error
      })
    }
  }

  return {
    async start() {
      if (loop || stopping.signal.aborted) return
      const runner = await openRunner(options)
      try {
        await runner.runs.addScheduler(runner.place.now())
      } catch (error) {
        runner.runs[Symbol.dispose]()
        throw error
      }
      opened = runner
      stopWatching = await watchJobs(runner.agent, wakeUp)
      loop = go(runner).catch((error: unknown) => {
        runner.agent.log.error({ error: String(error) }, 'the scheduler stopped')
      })
    },
    async stop({ drainMs = usualDrainMs } = {}) {
      stopping.abort()
      stopWatching()
      await loop
      const all = Promise.all([...running, ...telling])
      if (!(await settlesWithin(all, drainMs))) {
        ending.abort(new DOMException('The scheduler was stopped.', 'AbortError'))
        await settlesWithin(all, lateEndMs)
      }
      await opened?.runs.removeScheduler()
      opened?.runs[Symbol.dispose]()
      opened = undefined
    },
    get running() {
      return running.size
    },
  }
}

async function watchJobs({ home, log }: AgentContext, changed: () => void): Promise<() => void> {
  const folder = home.path('cron')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  try {
    const watcher = watch(folder, (_, name) => {
      if (name === null || name === 'jobs.json') changed()
    })
    watcher.on('error', (error) => log.warn({ error: error.message }, 'changes of jobs are seen late'))
    return () => watcher.close()
  } catch (error) {
    log.warn({ error: String(error) }, 'changes of jobs are seen late')
    return () => {}
  }
}

async function realSleep(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal })
}
