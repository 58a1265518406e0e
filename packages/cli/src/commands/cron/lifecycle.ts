import type { CronJob } from '@hermes/core/cron/job.ts'
import type { JobStore } from '@hermes/core/cron/job-store.ts'
import type { Command, OptionSpec } from '../../command.ts'
import { text } from '../../option-values.ts'
import { printJob } from './job-lines.ts'
import { onlyJob, withJobs } from './with-jobs.ts'

const json: OptionSpec = { type: 'boolean', description: 'Print JSON' }

/** A command that does one thing to one job. */
function onJob(
  facts: Pick<Command, 'name' | 'summary' | 'options'> & { readonly done: string },
  act: (jobs: JobStore, id: string, reason: string | undefined) => Promise<CronJob>,
): Command {
  const { done, options, ...rest } = facts
  return {
    ...rest,
    positionals: '<job_id>',
    options: { ...options, json },
    async run(input, cli) {
      const id = onlyJob(input, facts.name)
      return withJobs(cli, async (jobs) => {
        await printJob(await act(jobs, id, text(input.options['reason'])), done, input, cli)
        return 0
      })
    },
  }
}

export const pause = onJob(
  {
    name: 'pause',
    summary: 'Let a job rest',
    options: { reason: { type: 'string', value: 'TEXT', description: 'Why, for later' } },
    done: 'Paused',
  },
  (jobs, id, reason) => jobs.pause(id, reason),
)

export const resume = onJob({ name: 'resume', summary: 'Go on with a job', done: 'Resumed' }, (jobs, id) =>
  jobs.resume(id),
)

export const runJob = onJob(
  { name: 'run', summary: 'Have a job run now, or as soon as a scheduler is there', done: 'Due now' },
  (jobs, id) => jobs.trigger(id),
)
