import { jobView } from '@hermes/core/cron/job-view.ts'
import type { Cli, Command, CommandInput, OptionSpec } from '../../command.ts'
import { cleanLine } from '../../repl/clean-text.ts'
import { writeJson, writeOut } from '../sessions/write-out.ts'
import { jobLines } from './job-lines.ts'
import { withRuns } from './with-jobs.ts'

export const listOptions: Readonly<Record<string, OptionSpec>> = {
  all: { type: 'boolean', description: 'Also paused and completed jobs' },
  json: { type: 'boolean', description: 'Print JSON' },
}

export const list: Command = { name: 'list', summary: 'List the jobs', options: listOptions, run: printJobs }

/** Prints the jobs; those that cannot be read are told on stderr. */
export async function printJobs({ options }: CommandInput, cli: Cli): Promise<number> {
  return withRuns(cli, async (jobs, runs) => {
    const { jobs: all, broken } = await jobs.list()
    const views = all.filter(({ enabled }) => enabled || options['all'] === true).map(jobView)
    for (const { position, id = 'no id', problem } of broken) {
      cli.stderr.write(
        `! entry:${position} of jobs.json (${cleanLine(id)}) cannot be read and does not run: ${cleanLine(problem)}\n`,
      )
    }
    if (broken.length > 0) cli.stderr.write('! "hermes cron remove entry:N" takes one away.\n')
    if (options['json'] === true) {
      await writeJson(cli, views)
      return 0
    }
    if (views.length === 0) {
      const hidden = all.length === 0 ? '' : ` ${all.length} paused or completed: --all shows them.`
      cli.stderr.write(`No jobs.${hidden} hermes cron create "every weekday at 9" "…" makes one.\n`)
      return 0
    }
    await writeOut(cli, `${views.map((view) => jobLines(view).join('\n')).join('\n\n')}\n`)
    if ((await runs.schedulers()).length === 0) {
      cli.stderr.write('! No scheduler runs: jobs run while the gateway does, or by "hermes cron tick".\n')
    }
    return 0
  })
}
