import { chmod, mkdir } from 'node:fs/promises'
import type { AgentContext } from '../agent/context.ts'
import { wallTime } from '../agent/clock.ts'
import { writePrivateFile } from '../config/private-file.ts'
import type { CronJob } from './job.ts'
import { scheduleText } from './schedule.ts'

/** What a run came to, for its report. */
export interface JobReport {
  readonly job: CronJob
  /** When it began, ms. */
  readonly startedAt: number
  /** All that the model was told. */
  readonly prompt: string
  readonly response: string
  readonly error: string | undefined
}

/** Keeps a run's report as `cron/output/<job id>/<time>.md`; resolves to its path. */
export async function writeReport(report: JobReport, { home, clock, redactor }: AgentContext): Promise<string> {
  const { job, startedAt, prompt, response, error } = report
  const { date, time } = stamp(clock, startedAt)
  const folder = home.path('cron', 'output', job.id)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await chmod(home.path('cron', 'output'), 0o700)
  const path = `${folder}/${date}_${time.replaceAll(':', '-')}.md`
  const failed = error === undefined ? '' : ' (FAILED)'
  const text = [
    `# Cron Job: ${job.name}${failed}`,
    '',
    `**Job ID:** ${job.id}`,
    `**Run Time:** ${date} ${time}`,
    `**Schedule:** ${job.schedule_display ?? scheduleText(job.schedule)}`,
    '',
    '## Prompt',
    '',
    prompt,
    '',
    ...(error === undefined ? ['## Response', '', response || '(no answer)'] : ['## Error', '', error]),
    '',
  ].join('\n')
  await writePrivateFile(path, redactor.redact(text))
  return path
}

/** `YYYYMMDD_HHMMSS`, as ids of sessions have it. */
export function compactStamp(clock: AgentContext['clock'], at: number): string {
  const { date, time } = stamp(clock, at)
  return `${date.replaceAll('-', '')}_${time.replaceAll(':', '')}`
}

function stamp(clock: AgentContext['clock'], at: number) {
  const { year, month, day, hour, minute, second } = wallTime(clock, at)
  const two = (value: number) => String(value).padStart(2, '0')
  return { date: `${year}-${two(month)}-${two(day)}`, time: `${two(hour)}:${two(minute)}:${two(second)}` }
}
