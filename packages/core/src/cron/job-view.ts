import type { CronJob } from './job.ts'
import { deliveryTarget } from './job.ts'
import { scheduleText } from './schedule.ts'

/** Characters of the prompt in a view. */
const previewChars = 100

/** A job as tools and programs read it; names and forms are upstream's. */
export function jobView(job: CronJob) {
  return {
    job_id: job.id,
    name: job.name,
    skill: job.skills[0] ?? null,
    skills: job.skills,
    prompt_preview: job.prompt.length > previewChars ? `${job.prompt.slice(0, previewChars)}...` : job.prompt,
    model: job.model,
    provider: job.provider,
    base_url: job.base_url,
    schedule: job.schedule_display ?? scheduleText(job.schedule),
    repeat: repeatText(job),
    deliver: deliveryTarget(job),
    next_run_at: job.next_run_at,
    last_run_at: job.last_run_at,
    last_status: job.last_status,
    last_error: job.last_error,
    last_delivery_error: job.last_delivery_error,
    enabled: job.enabled,
    state: job.state,
    paused_at: job.paused_at,
    paused_reason: job.paused_reason,
    ...(job.script !== null && { script: job.script }),
    ...(job.missed && { missed: job.missed }),
  }
}

export type JobView = ReturnType<typeof jobView>

/** `forever`, `once`, `3 times`, `1/3`. */
export function repeatText({ repeat: { times, completed } }: Pick<CronJob, 'repeat'>): string {
  if (times === null) return 'forever'
  if (completed > 0) return `${completed}/${times}`
  return times === 1 ? 'once' : `${times} times`
}
