import { systemClock } from '@hermes/core/agent/clock.ts'
import { ConfigError } from '@hermes/core/config/config-error.ts'
import { openProfile } from '@hermes/core/config/open-profile.ts'
import { CronError } from '@hermes/core/cron/cron-error.ts'
import { openJobs } from '@hermes/core/cron/job-store.ts'
import type { JobStore } from '@hermes/core/cron/job-store.ts'
import { openRunStore } from '@hermes/core/cron/run-store.ts'
import type { RunStore } from '@hermes/core/cron/run-store.ts'
import { DatabaseError } from '@hermes/core/storage/database-error.ts'
import { type Cli, CommandError, type CommandInput, UsageError } from '../../command.ts'
import { cleanText } from '../../repl/clean-text.ts'

/** Opens the profile's jobs for one command; what is refused is told in its own words. */
export async function withJobs<T>(cli: Cli, work: (jobs: JobStore) => Promise<T>): Promise<T> {
  return told(async () => {
    const { home, config } = await openProfile(cli.environment)
    return work(openJobs({ home, clock: systemClock(config.timezone) }))
  })
}

/** The same with their runs. */
export async function withRuns<T>(cli: Cli, work: (jobs: JobStore, runs: RunStore) => Promise<T>): Promise<T> {
  return withJobs(cli, async (jobs) => {
    using runs = await openRunStore(jobs.place.home)
    return await work(jobs, runs)
  })
}

/** Failures of the engine as those of a command; a schedule that cannot be read is a wrong usage. */
export async function told<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof CronError && error.code === 'bad-schedule') throw new UsageError(cleanText(error.message))
    const isKnown = error instanceof CronError || error instanceof ConfigError || error instanceof DatabaseError
    if (isKnown) throw new CommandError(cleanText(error.message), 1, { cause: error })
    throw error
  }
}

/** The one job that a command is about. Throws `UsageError`. */
export function onlyJob({ positionals }: CommandInput, name: string): string {
  const [first] = positionals
  if (first !== undefined && positionals.length === 1) return first
  throw new UsageError(`Write: hermes cron ${name} JOB_ID`)
}
