import type { Command } from '../../command.ts'
import { UsageError } from '../../command.ts'
import { list, text } from '../../option-values.ts'
import { findJob } from '@hermes/core/cron/job-store.ts'
import { jobFields, jobOptions } from './job-options.ts'
import { printJob } from './job-lines.ts'
import { tellWhatIsMissing } from './tell-what-is-missing.ts'
import { onlyJob, withJobs } from './with-jobs.ts'

export const edit: Command = {
  name: 'edit',
  summary: 'Change a job',
  positionals: '<job_id>',
  options: {
    schedule: { type: 'string', value: 'WHEN', description: 'Another schedule' },
    prompt: { type: 'string', value: 'TEXT', description: 'Another prompt' },
    ...jobOptions,
    'add-skill': { type: 'string', value: 'NAME', multiple: true, description: 'Add a skill' },
    'remove-skill': { type: 'string', value: 'NAME', multiple: true, description: 'Take a skill away' },
    'clear-skills': { type: 'boolean', description: 'Take all skills away' },
  },
  async run(input, cli) {
    const id = onlyJob(input, 'edit')
    const { options } = input
    const fields = { ...jobFields(input), schedule: text(options['schedule']), prompt: text(options['prompt']) }
    const [more, fewer] = [list(options['add-skill']) ?? [], list(options['remove-skill']) ?? []]
    const clears = options['clear-skills'] === true
    const isNothing = Object.values(fields).every((value) => value === undefined) && !clears
    if (isNothing && more.length + fewer.length === 0) {
      throw new UsageError('Say what to change, e.g. --schedule "every 2h"')
    }
    return withJobs(cli, async (jobs) => {
      const { skills: present } = findJob((await jobs.list()).jobs, id)
      const kept = clears ? [] : (fields.skills ?? present).filter((name) => !fewer.includes(name))
      const isChanged = clears || fields.skills !== undefined || more.length + fewer.length > 0
      const job = await jobs.edit(id, { ...fields, ...(isChanged && { skills: [...kept, ...more] }) })
      await printJob(job, 'Changed', input, cli)
      await tellWhatIsMissing(job, cli)
      return 0
    })
  },
}
