import type { Cli, Command, CommandInput } from '../../command.ts'
import { UsageError } from '../../command.ts'
import { jobFields, jobOptions } from './job-options.ts'
import { printJob } from './job-lines.ts'
import { tellWhatIsMissing } from './tell-what-is-missing.ts'
import { withRuns } from './with-jobs.ts'

export const create: Command = {
  name: 'create',
  summary: 'Make a job',
  positionals: '<schedule> [prompt]',
  options: jobOptions,
  examples: [
    'hermes cron create "every 2h" "Check the disk" --missed skip',
    'hermes cron create 2026-12-24T18:00 "Wish me a merry Christmas"',
  ],
  run: createJob,
}

export const add: Command = { ...create, name: 'add', summary: 'The same as create' }

async function createJob(input: CommandInput, cli: Cli): Promise<number> {
  const [schedule, ...prompt] = input.positionals
  if (schedule === undefined) throw new UsageError('Write: hermes cron create SCHEDULE [PROMPT]')
  return withRuns(cli, async (jobs, runs) => {
    const job = await jobs.create({ ...jobFields(input), schedule, prompt: prompt.join(' ') })
    await printJob(job, 'Created', input, cli)
    await tellWhatIsMissing(job, cli)
    if ((await runs.schedulers()).length === 0) {
      cli.stderr.write('! No scheduler runs: jobs run while the gateway does, or by "hermes cron tick".\n')
    }
    return 0
  })
}
