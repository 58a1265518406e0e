import { ago } from '@hermes/core/text/ago.ts'
import type { GatewayReport } from '@hermes/gateway/life/state-file.ts'
import { cleanText } from '../../repl/clean-text.ts'
import type { CronStatus, DeepStatus } from './deep-status.ts'

/** What is shown of the process and its platforms. */
export function statusLines(
  running: { readonly pid: number } | undefined,
  report: GatewayReport | undefined,
): readonly string[] {
  if (!running) {
    const failure = report?.gateway_state === 'startup_failed' ? report.exit_reason : undefined
    return [
      'The gateway does not run. Start it with "hermes gateway start".',
      ...(failure ? [`The last start failed: ${cleanText(failure)}`] : []),
    ]
  }
  const state = report?.gateway_state === 'draining' ? ', ends when what runs has ended' : ''
  const lines = Object.entries(report?.platforms ?? {}).map(([name, { state: current, error_message: error }]) => {
    return `  ${name.padEnd(14)} ${current}${error ? `  ${cleanText(error)}` : ''}`
  })
  return [`The gateway runs (pid ${running.pid})${state}.`, ...lines]
}

/** The rest. `now`: ms since 1970. */
export function deepLines(deep: DeepStatus, now: number, isRunning: boolean): readonly string[] {
  const { service, backlog, cron, apiServer, locks, problems } = deep
  /** What is absent, unless it could not be looked at. */
  const absent = (what: string, line: string) => (problems.some((one) => one.startsWith(`${what}: `)) ? [] : [line])
  const lines = [
    '',
    ...(service
      ? [
          `Service: ${service.name}, ${service.kind}: ${service.state}${service.isEnabled ? '' : ', not started by the system'}`,
        ]
      : absent('Service', 'Service: none; "hermes gateway install" makes one.')),
    ...(service?.isOutdated
      ? ['  Its definition is another version’s: "hermes gateway restart" brings it up to date.']
      : []),
    ...(service?.hints ?? []).map((hint) => `  ${hint}`),
    ...(backlog
      ? [`Messages: ${backlog.inbox.running} being answered, ${backlog.inbox.waiting} waiting`]
      : absent('Messages', 'Messages: none yet')),
    ...(backlog?.outbox ?? []).map(({ platform, waiting, dead, oldestAt, error }) => {
      const age = oldestAt === undefined ? '' : `, the oldest queued ${ago(now - oldestAt)}`
      return `  to ${platform.padEnd(11)} ${waiting} to send${age}, ${dead} given up${error ? `  ${cleanText(error)}` : ''}`
    }),
    ...(cron ? [jobsLine(cron)] : []),
    ...(apiServer ? apiServerLines(apiServer, isRunning) : absent('API server', 'API server: not set up')),
    ...locks.map(({ scope, pid, home, isHeld }) => {
      return `Account in use: ${scope} by process ${pid}${home === undefined ? '' : ` (${home})`}${isHeld ? '' : ', which is gone'}`
    }),
    ...problems.map((problem) => `! ${cleanText(problem)}`),
  ]
  return lines
}

function apiServerLines(
  { url, answers, reason = '' }: NonNullable<DeepStatus['apiServer']>,
  isRunning: boolean,
): readonly string[] {
  if (answers) return [`API server: ${url} answers`]
  const later = '  What was set since the gateway started holds after "hermes gateway restart".'
  return [`API server: ${url} does not answer (${reason})`, ...(isRunning ? [later] : [])]
}

function jobsLine({ activeJobs, isScheduled, lastRunAt, nextRunAt }: CronStatus): string {
  const times = `${timeText(', last run', lastRunAt)}${timeText(', next', nextRunAt)}`
  return `Jobs: ${activeJobs} active, scheduler ${isScheduled ? 'runs' : 'does not run'}${times}`
}

function timeText(label: string, at: string | undefined): string {
  return at === undefined ? '' : `${label} ${at}`
}
