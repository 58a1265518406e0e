import type { Command } from '../../command.ts'
import { cleanLine } from '../../repl/clean-text.ts'
import { writeJson, writeOut } from '../sessions/write-out.ts'
import { printJob } from './job-lines.ts'
import { onlyJob, withJobs } from './with-jobs.ts'

const done = 'Removed'

/** Deletes a job, or an entry of the file that is none. */
const removal = (name: string, summary: string): Command => ({
  name,
  summary,
  positionals: '<job_id|entry:N>',
  options: { json: { type: 'boolean', description: 'Print JSON' } },
  async run(input, cli) {
    const reference = onlyJob(input, name)
    return withJobs(cli, async (jobs) => {
      const entry = await jobs.removeUnreadable(reference)
      if (!entry) await printJob(await jobs.remove(reference), done, input, cli)
      else if (input.options['json'] === true) await writeJson(cli, entry)
      else {
        const { position, id = 'no id' } = entry
        await writeOut(cli, `${done}: entry:${position} of jobs.json (${cleanLine(id)})\n`)
      }
      return 0
    })
  },
})

export const remove = removal('remove', 'Delete a job, or an entry that "cron list" tells as unreadable')
export const rm = removal('rm', 'The same as remove')
export const deleteJob = removal('delete', 'The same as remove')
