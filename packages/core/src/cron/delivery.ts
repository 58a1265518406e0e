import { CronError } from './cron-error.ts'
import { deliveryTarget } from './job.ts'
import type { CronJob } from './job.ts'

/** What a job has to say. */
export interface CronMessage {
  readonly job: CronJob
  /** Of the one time of the job: the same message again has the same. */
  readonly key: string
  /** `origin`, a platform, `platform:chat[:thread]`. */
  readonly target: string
  /** Markdown, with the job's name around it where the settings want that; `MEDIA:` tags are in it. */
  readonly text: string
}

/** Brings the results of jobs to people. The gateway has one that knows the platforms. */
export interface CronDelivery {
  /**
   * Sends; resolves when the platform has it, or to `local` where the target comes to nobody. Throws `CronError` with code
   * `delivery-failed` or `no-gateway`.
   */
  deliver(message: CronMessage, signal: AbortSignal): Promise<'sent' | 'local'>
}

/** Platforms of jobs that were made on this machine. */
const localPlatforms: ReadonlySet<string> = new Set(['local', 'cli'])

/** Whether the result only goes to the output folder. */
export function isLocal(job: CronJob): boolean {
  const target = deliveryTarget(job)
  return target === 'local' || (target === 'origin' && job.origin !== null && localPlatforms.has(job.origin.platform))
}

/** Where no gateway runs: nothing can be sent, and a job without an origin keeps what it has to say. */
export const noGateway: CronDelivery = {
  async deliver({ job, target }) {
    if (target === 'origin' && job.origin === null) return 'local'
    throw new CronError(
      'no-gateway',
      `No gateway is running, so nothing was sent to "${target}"; the output is kept in cron/output.`,
    )
  },
}
