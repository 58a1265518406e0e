import { parseMoment } from '@hermes/core/cron/zone.ts'
import type { Command } from '../../command.ts'
import { writeJson, writeOut } from '../sessions/write-out.ts'
import { withRuns } from './with-jobs.ts'

export const status: Command = {
  name: 'status',
  summary: 'Whether a scheduler runs, how many jobs there are and which is next',
  options: { json: { type: 'boolean', description: 'Print JSON' } },
  async run({ options }, cli) {
    return withRuns(cli, async (jobs, runs) => {
      const { jobs: all, broken } = await jobs.list()
      const active = all.filter(({ enabled }) => enabled)
      const { zone } = jobs.place
      // By hand anything may be written there; the next look of a scheduler mends it.
      const times = active.flatMap(({ next_run_at: at }) => (at === null ? [] : (parseMoment(at, zone) ?? [])))
      const next = times.length === 0 ? undefined : zone.iso(Math.min(...times))
      const schedulers = await runs.schedulers()
      const found = {
        scheduler_running: schedulers.length > 0,
        pids: schedulers.map(({ pid }) => pid),
        timezone: zone.name,
        active_jobs: active.length,
        jobs: all.length,
        unreadable_jobs: broken.length,
        running: [...(await runs.busyJobs())],
        next_run_at: next ?? null,
      }
      if (options['json'] === true) {
        await writeJson(cli, found)
        return 0
      }
      const lines = [
        found.scheduler_running
          ? `A scheduler runs (process ${found.pids.join(', ')}).`
          : 'No scheduler runs: jobs run while the gateway does, or by "hermes cron tick".',
        `${active.length} active of ${all.length} jobs${broken.length > 0 ? `, ${broken.length} unreadable` : ''}; time zone ${zone.name}.`,
        ...(found.running.length > 0 ? [`Running now: ${found.running.join(', ')}`] : []),
        ...(next === undefined ? [] : [`Next run: ${next}`]),
      ]
      await writeOut(cli, `${lines.join('\n')}\n`)
      return 0
    })
  },
}
