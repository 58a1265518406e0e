import { stat } from 'node:fs/promises'
import { openProfile } from '@hermes/core/config/open-profile.ts'
import type { CronJob } from '@hermes/core/cron/job.ts'
import type { Cli } from '../../command.ts'
import { tellUnknownSkills, tellUnknownTarget } from '../tell-what-is-missing.ts'

/** What a job names and is not there yet: it may come before the job runs. */
export async function tellWhatIsMissing({ deliver, origin, script, skills }: CronJob, cli: Cli): Promise<void> {
  const profile = await openProfile(cli.environment)
  // A platform alone means the chat that the job was made in, where that is on it.
  if (!deliver || deliver !== origin?.platform) tellUnknownTarget(deliver ?? undefined, profile, cli)
  await tellUnknownSkills(skills, 'cron', profile, cli)
  if (!script) return
  const path = profile.home.path('scripts', script)
  const isThere = await stat(path).then(
    () => true,
    () => false,
  )
  if (!isThere) cli.stderr.write(`! ${path} is not there yet; the job needs it when it runs.\n`)
}
