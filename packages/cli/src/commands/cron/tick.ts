import type { FinishedRun } from '@hermes/core/cron/runner.ts'
import type { Command } from '../../command.ts'
import { cleanLine } from '../../repl/clean-text.ts'
import { writeJson, writeOut } from '../sessions/write-out.ts'
import { told } from './with-jobs.ts'

export const tickJobs: Command = {
  name: 'tick',
  summary: 'Run what is due, once, and exit',
  options: { json: { type: 'boolean', description: 'Print JSON' } },
  async run({ options }, cli) {
    const { createContext } = await import('@hermes/core/agent/create-context.ts')
    const { tick } = await import('@hermes/core/cron/tick.ts')
    const { outsideDelivery } = await import('@hermes/gateway/cron/outside-delivery.ts')
    const asJson = options['json'] === true
    return told(async () => {
      await using agent = await createContext({ environment: cli.environment, cwd: cli.cwd, component: 'cron' })
      const onRun = (run: FinishedRun) => void (asJson || cli.stdout.write(`${runLine(run)}\n`))
      const runs = await tick({ agent, delivery: outsideDelivery(agent), onRun }, cli.signal)
      if (asJson) await writeJson(cli, runs.map(runJson))
      else if (runs.length === 0) await writeOut(cli, 'Nothing is due.\n')
      return runs.every(({ state }) => state === 'ok') ? 0 : 1
    })
  },
}

function runLine({ jobId, jobName, state, error, deliveryError, outputPath }: FinishedRun): string {
  const problem = error ?? (deliveryError && `not delivered: ${deliveryError}`)
  return [jobId, cleanLine(jobName), state, problem && cleanLine(problem), outputPath].filter(Boolean).join('  ')
}

function runJson({ jobId, jobName, state, error, deliveryError, outputPath, scheduledAt, response }: FinishedRun) {
  return {
    job_id: jobId,
    name: jobName,
    scheduled_at: new Date(scheduledAt).toISOString(),
    state,
    response,
    error: error ?? null,
    delivery_error: deliveryError ?? null,
    output: outputPath ?? null,
  }
}
