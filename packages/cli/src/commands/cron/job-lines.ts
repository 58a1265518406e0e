import type { CronJob } from '@hermes/core/cron/job.ts'
import { jobView } from '@hermes/core/cron/job-view.ts'
import type { JobView } from '@hermes/core/cron/job-view.ts'
import type { Cli, CommandInput } from '../../command.ts'
import { cleanLine } from '../../repl/clean-text.ts'
import { writeJson, writeOut } from '../sessions/write-out.ts'

/** Says what was done to a job. */
export async function printJob(job: CronJob, done: string, input: CommandInput, cli: Cli): Promise<void> {
  const view = jobView(job)
  if (input.options['json'] === true) return writeJson(cli, view)
  await writeOut(cli, `${done}: ${jobLines(view).join('\n')}\n`)
}

/** A job in a few lines, the first with its id and name. */
export function jobLines(view: JobView): readonly string[] {
  const state = view.state === 'scheduled' && !view.enabled ? 'disabled' : view.state
  const rows: readonly (readonly [label: string, value: string | null | undefined])[] = [
    ['schedule', view.schedule],
    ['next run', view.next_run_at],
    ['repeat', view.repeat],
    ['deliver', view.deliver],
    ['prompt', view.prompt_preview],
    ['skills', view.skills.join(', ')],
    ['script', view.script],
    ['model', [view.provider, view.model].filter(Boolean).join(': ')],
    ['missed', view.missed && `${view.missed.run}${within(view.missed.max_age_minutes)}`],
    ['last run', view.last_run_at && `${view.last_run_at}  ${view.last_status ?? ''}`],
    ['error', view.last_error],
    ['not delivered', view.last_delivery_error],
    ['paused', view.state === 'paused' ? [view.paused_at, view.paused_reason].filter(Boolean).join('  ') : undefined],
  ]
  return [
    `${view.job_id}  ${cleanLine(view.name)}  [${cleanLine(state)}]`,
    ...rows.flatMap(([label, value]) => (value ? [`  ${label.padEnd(13)}  ${cleanLine(value)}`] : [])),
  ]
}

function within(minutes: number | undefined): string {
  return minutes === undefined ? '' : `, within ${minutes} minutes`
}
