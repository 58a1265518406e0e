import { lazily } from '../storage/lazily.ts'
import { z } from 'zod'
import { scheduleSchema } from './schedule.ts'

const text = lazily(() =>
  z
    .string()
    .nullish()
    .transform((value) => value ?? null),
)

/** What happens to times that passed while no scheduler ran; upstream's grace window where a job says nothing. */
export const missedPolicy = lazily(() =>
  z.strictObject({
    /** `skip`: they are over. `once`: one run for all of them. `all`: each of them. */
    run: z.enum(['skip', 'once', 'all']),
    /** Times that are longer over than this are left out. Default: none for `once`, a day for `all`. */
    max_age_minutes: z.number().positive().optional(),
  }),
)

export type MissedPolicy = z.infer<ReturnType<typeof missedPolicy>>

/**
 * A job as `jobs.json` has it, in upstream's form; fields that are not named here are kept. Ours alone: `missed` and
 * `timezone`, the zone that `next_run_at` was reckoned in.
 */
export const jobSchema = lazily(() =>
  z.looseObject({
    id: z.string().regex(/^[\w-]{1,64}$/, 'an id has letters, digits, _ and -'),
    name: z
      .string()
      .nullish()
      .transform((value) => value ?? ''),
    prompt: z
      .string()
      .nullish()
      .transform((value) => value ?? ''),
    skills: z
      .array(z.string())
      .nullish()
      .transform((value) => value ?? []),
    skill: text(),
    model: text(),
    provider: text(),
    base_url: text(),
    script: text(),
    schedule: scheduleSchema(),
    schedule_display: z.string().nullish(),
    repeat: z
      .looseObject({ times: z.number().nullish(), completed: z.number().nullish() })
      .nullish()
      .transform((value) => ({ ...value, times: positive(value?.times), completed: value?.completed ?? 0 })),
    enabled: z
      .boolean()
      .nullish()
      .transform((value) => value ?? true),
    state: z
      .string()
      .nullish()
      .transform((value) => value ?? 'scheduled'),
    paused_at: text(),
    paused_reason: text(),
    created_at: text(),
    next_run_at: text(),
    last_run_at: text(),
    last_status: text(),
    last_error: text(),
    last_delivery_error: text(),
    deliver: text(),
    origin: z
      .looseObject({
        platform: z.string(),
        chat_id: z.union([z.string(), z.number()]).nullish(),
        chat_name: z.string().nullish(),
        thread_id: z.union([z.string(), z.number()]).nullish(),
      })
      .nullish()
      .transform((value) => value ?? null),
    missed: missedPolicy().nullish(),
    timezone: z.string().nullish(),
  }),
)

export type CronJob = z.infer<ReturnType<typeof jobSchema>>

function positive(value: number | null | undefined): number | null {
  return value !== null && value !== undefined && value > 0 ? value : null
}

/** Where a job's result goes to when it says nothing. */
export function deliveryTarget({ deliver, origin }: Pick<CronJob, 'deliver' | 'origin'>): string {
  return deliver?.trim() || (origin ? 'origin' : 'local')
}
