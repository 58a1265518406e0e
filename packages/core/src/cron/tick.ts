import { claimDue } from './claim-due.ts'
import { runClaim } from './run-claim.ts'
import { tellInterrupted } from './run-job.ts'
import { openRunner, usualConcurrency } from './runner.ts'
import type { FinishedRun, RunnerOptions } from './runner.ts'

/**
 * Runs everything that is due now, and then what has become due meanwhile of other jobs; resolves to the runs in the order
 * in which they ended. When `signal` aborts, those that run are stopped.
 */
export async function tick(options: RunnerOptions, signal: AbortSignal): Promise<readonly FinishedRun[]> {
  const runner = await openRunner(options)
  const { maxConcurrent = usualConcurrency } = options
  const finished: FinishedRun[] = []
  const done = new Set<string>()
  try {
    for (;;) {
      signal.throwIfAborted()
      const { claims, interrupted } = await claimDue(runner, maxConcurrent)
      await Promise.all(interrupted.map((one) => tellInterrupted(one, runner, signal)))
      if (claims.length === 0) return finished
      await Promise.all(
        claims.map(async (claim) => {
          for (const one of await runClaim(claim, runner, signal)) {
            finished.push(one)
            options.onRun?.(one)
          }
        }),
      )
      // A job that is due again by the time it ends would keep this from ending.
      if (claims.every(({ job }) => done.has(job.id))) return finished
      for (const { job } of claims) done.add(job.id)
    }
  } finally {
    runner.runs[Symbol.dispose]()
  }
}
