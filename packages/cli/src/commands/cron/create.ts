import type { Cli, Command, CommandInput } from '../../command.ts'
import { CommandError, UsageError } from '../../command.ts'
import { jobFields, jobOptions } from './job-options.ts'
import { printJob } from './job-lines.ts'
import { tellWhatIsMissing } from './tell-what-is-missing.ts'
import { withRuns } from './with-jobs.ts'

export const create: Command = {
  name: 'create',
  summary: 'Make a job; without a schedule you are asked',
  positionals: '[schedule] [prompt...]',
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
  const asked = schedule === undefined ? await askJob(cli) : { schedule, prompt: prompt.join(' ') }
  return withRuns(cli, async (jobs, runs) => {
    const job = await jobs.create({ ...jobFields(input), ...asked })
    await printJob(job, 'Created', input, cli)
    await tellWhatIsMissing(job, cli)
    if ((await runs.schedulers()).length === 0) {
      cli.stderr.write('! No scheduler runs: jobs run while the gateway does, or by "hermes cron tick".\n')
    }
    return 0
  })
}

/** Asks a person for what a job needs. Throws `UsageError` where nobody sits there. */
async function askJob(cli: Cli): Promise<{ readonly schedule: string; readonly prompt: string }> {
  if (!cli.stdin.isTTY) throw new UsageError('Write: hermes cron create SCHEDULE [PROMPT]')
  const { askLine } = await import('../auth/ask-line.ts')
  const ask = async (question: string): Promise<string> => {
    for (;;) {
      const answer = await askLine(cli, question, cli.signal)
      if (answer === undefined) throw new CommandError('Stopped; no job was made.', 130)
      if (answer.trim() !== '') return answer.trim()
    }
  }
  const schedule = await ask('When (every weekday at 9, every 2h, tomorrow at 7, 0 9 * * 1-5)? ')
  return { schedule, prompt: await ask('What is to be done? ') }
}
