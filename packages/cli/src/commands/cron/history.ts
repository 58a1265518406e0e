import { findJob } from '@hermes/core/cron/job-store.ts'
import type { CronRun } from '@hermes/core/cron/run-store.ts'
import { CronError } from '@hermes/core/cron/cron-error.ts'
import type { Command } from '../../command.ts'
import { UsageError } from '../../command.ts'
import { wholeNumber } from '../../option-values.ts'
import { cleanLine } from '../../repl/clean-text.ts'
import { columnLines } from '../sessions/columns.ts'
import { writeJson, writeOut } from '../sessions/write-out.ts'
import { withRuns } from './with-jobs.ts'

export const history: Command = {
  name: 'history',
  summary: 'How past runs went, also those that were missed',
  positionals: '[job_id]',
  options: {
    limit: { type: 'string', value: 'N', description: 'Most runs (default 20)' },
    json: { type: 'boolean', description: 'Print JSON' },
  },
  async run({ positionals, options }, cli) {
    const [name] = positionals
    if (positionals.length > 1) throw new UsageError('Write: hermes cron history [JOB_ID]')
    const limit = wholeNumber(options['limit'], '--limit', 1) ?? 20
    return withRuns(cli, async (jobs, runs) => {
      const found = await runs.list({ limit, jobId: name === undefined ? undefined : await idOf(name) })
      const { iso } = jobs.place.zone
      if (options['json'] === true) {
        await writeJson(
          cli,
          found.map((run) => runJson(run, iso)),
        )
        return 0
      }
      if (found.length === 0) {
        cli.stderr.write('No runs yet.\n')
        return 0
      }
      const headings = ['scheduled for', 'job', 'name', 'state', 'what went wrong'].map((heading) => ({ heading }))
      const rows = found.map((run) => [
        iso(run.scheduledAt),
        run.jobId,
        run.jobName,
        run.state,
        cleanLine(run.error ?? run.deliveryError ?? ''),
      ])
      const width = cli.stdout.isTTY ? cli.stdout.columns : undefined
      await writeOut(cli, `${columnLines(headings, rows, width).join('\n')}\n`)
      return 0

      /** A job that is gone has its history still. */
      async function idOf(reference: string): Promise<string> {
        try {
          return findJob((await jobs.list()).jobs, reference).id
        } catch (error) {
          const isKept = error instanceof CronError && (await runs.list({ jobId: reference, limit: 1 })).length > 0
          if (isKept) return reference
          throw error
        }
      }
    })
  },
}

function runJson(run: CronRun, iso: (at: number) => string) {
  const time = (at: number | undefined) => (at === undefined ? null : iso(at))
  return {
    job_id: run.jobId,
    name: run.jobName,
    scheduled_at: iso(run.scheduledAt),
    timezone: run.zone,
    state: run.state,
    started_at: time(run.startedAt),
    finished_at: time(run.finishedAt),
    session_id: run.sessionId ?? null,
    error: run.error ?? null,
    delivery_error: run.deliveryError ?? null,
    output: run.outputPath ?? null,
  }
}
