import type { AgentContext } from '../agent/context.ts'
import { observed } from '../agent/work-observer.ts'
import { recordEnd } from './claim-due.ts'
import type { Claim, RunEnd } from './claim-due.ts'
import type { CronJob } from './job.ts'
import { runJob, runSessionId } from './run-job.ts'
import type { CronRunner, FinishedRun } from './runner.ts'

/**
 * Runs what was taken, one time after the other, and records how each ended. Throws `DatabaseError` and `CronError` where
 * that cannot be recorded: what is left then counts as interrupted.
 */
export async function runClaim(
  { job, times }: Claim,
  runner: CronRunner,
  signal: AbortSignal,
): Promise<readonly FinishedRun[]> {
  const finished: FinishedRun[] = []
  try {
    for (const scheduledAt of times) finished.push(await runTime(job, scheduledAt, runner, signal))
    return finished
  } finally {
    for (const scheduledAt of times) runner.runs.release({ jobId: job.id, scheduledAt })
  }
}

async function runTime(
  job: CronJob,
  scheduledAt: number,
  { agent: current, delivery, place, runs }: CronRunner,
  signal: AbortSignal,
): Promise<FinishedRun> {
  const agent = { ...current }
  const key = { jobId: job.id, scheduledAt }
  const startedAt = place.now()
  const sessionId = await freeSessionId(runSessionId(job, startedAt, agent.clock), agent)
  await runs.start(key, sessionId, startedAt)
  agent.log.info({ job: job.id, session: sessionId, scheduledAt }, 'scheduled job begins')
  const { response, error, deliveryError, outputPath } = await observed(
    agent.observer,
    () => ({ kind: 'job-run', jobId: job.id }),
    () => runJob({ job, sessionId, scheduledAt, agent, delivery }, signal),
    (result) => ({ status: result.error === undefined ? 'ok' : 'error', isFailure: result.error !== undefined }),
  )
  const end: RunEnd = { state: error === undefined ? 'ok' : 'error', error, deliveryError }
  await runs.finish(key, { ...end, outputPath }, place.now())
  await recordEnd(job.id, end, place)
  const durationMs = place.now() - startedAt
  const ended = { job: job.id, state: end.state, delivered: deliveryError === undefined, durationMs }
  agent.log.info(ended, 'scheduled job ended')
  return { ...key, jobName: job.name, ...end, outputPath, response }
}

/** Two runs of a job within one second have sessions of their own. */
async function freeSessionId(id: string, { sessions }: AgentContext): Promise<string> {
  let free = id
  for (let count = 2; await sessions.get(free); count++) free = `${id}_${count}`
  return free
}
