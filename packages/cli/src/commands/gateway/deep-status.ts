import { existsSync } from 'node:fs'
import type { Profile } from '@hermes/core/config/open-profile.ts'
import { readBacklog } from '@hermes/gateway/life/backlog.ts'
import type { Backlog } from '@hermes/gateway/life/backlog.ts'
import { accountLocks } from '@hermes/gateway/platforms/token-lock.ts'
import type { AccountLock } from '@hermes/gateway/platforms/token-lock.ts'
import type { Cli, CommandInput } from '../../command.ts'
import { definitionOf, serviceOf } from './service-of.ts'
import { isApiServerNamed } from './services-of.ts'

/** What the files of the gateway do not say by themselves. */
export interface DeepStatus {
  readonly service: ServiceStatus | undefined
  readonly backlog: Backlog | undefined
  readonly cron: CronStatus | undefined
  /** Undefined: it is not set up. */
  readonly apiServer: { readonly url: string; readonly answers: boolean; readonly reason?: string } | undefined
  readonly locks: readonly AccountLock[]
  /** What could not be looked at, and why. */
  readonly problems: readonly string[]
}

export interface ServiceStatus {
  readonly name: string
  readonly kind: string
  readonly file: string
  readonly state: string
  readonly isActive: boolean
  readonly isEnabled: boolean
  readonly isOutdated: boolean
  readonly hints: readonly string[]
}

export interface CronStatus {
  readonly activeJobs: number
  readonly isScheduled: boolean
  readonly lastRunAt?: string
  readonly nextRunAt?: string
}

/** How long the API server may take to answer, ms. */
const probeMs = 2_000

/** Looks everywhere that says how the gateway does. What cannot be read, as where a file is damaged, hides nothing else. */
export async function deepStatus(profile: Profile, input: CommandInput, cli: Cli): Promise<DeepStatus> {
  const problems: string[] = []
  const look = async <Part>(what: string, work: () => Part | Promise<Part>): Promise<Part | undefined> => {
    try {
      return await work()
    } catch (error) {
      cli.signal.throwIfAborted()
      problems.push(`${what}: ${error instanceof Error ? error.message : String(error)}`)
      return undefined
    }
  }
  const [service, backlog, cron, apiServer, locks] = await Promise.all([
    look('Service', () => serviceStatus(profile, input, cli)),
    look('Messages', () => readBacklog(profile.home)),
    look('Jobs', () => cronStatus(profile)),
    look('API server', () => probeApiServer(profile, cli.signal)),
    look('Accounts', () => accountLocks(profile.environment)),
  ])
  return { service, backlog, cron, apiServer, locks: locks ?? [], problems }
}

async function serviceStatus(profile: Profile, input: CommandInput, cli: Cli): Promise<ServiceStatus | undefined> {
  const { ServiceError } = await import('@hermes/gateway/life/system-service/system-service.ts')
  const installed = await serviceOf(profile, input, cli)
  if (!installed) return undefined
  const { service } = installed
  const { name, kind, file } = service
  try {
    const definition = await definitionOf(service, profile, await service.installedUser(), cli)
    const { text, ...state } = await service.state(cli.signal)
    return { name, kind, file, state: text, ...state, isOutdated: (await service.standing(definition)) === 'outdated' }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return { name, kind, file, state: error.message, isActive: false, isEnabled: false, isOutdated: false, hints: [] }
  }
}

async function cronStatus({ home, config }: Profile): Promise<CronStatus> {
  const { systemClock } = await import('@hermes/core/agent/clock.ts')
  const { openJobs } = await import('@hermes/core/cron/job-store.ts')
  const { parseMoment } = await import('@hermes/core/cron/zone.ts')
  const store = openJobs({ home, clock: systemClock(config.timezone) })
  const { jobs } = await store.list()
  const active = jobs.filter(({ enabled }) => enabled)
  const { zone } = store.place
  // By hand anything may be written there.
  const moments = (times: readonly (string | null)[]) => times.flatMap((at) => parseMoment(at ?? '', zone) ?? [])
  const [last] = moments(jobs.map((job) => job.last_run_at)).toSorted((one, other) => other - one)
  const [next] = moments(active.map((job) => job.next_run_at)).toSorted((one, other) => one - other)
  return {
    activeJobs: active.length,
    isScheduled: await hasScheduler(home),
    ...(last !== undefined && { lastRunAt: zone.iso(last) }),
    ...(next !== undefined && { nextRunAt: zone.iso(next) }),
  }
}

async function hasScheduler(home: Profile['home']): Promise<boolean> {
  if (!existsSync(home.path('cron', 'runs.db'))) return false
  const { openRunStore } = await import('@hermes/core/cron/run-store.ts')
  using runs = await openRunStore(home)
  return (await runs.schedulers()).length > 0
}

async function probeApiServer(
  { config, environment, home }: Profile,
  signal: AbortSignal,
): Promise<DeepStatus['apiServer']> {
  if (!isApiServerNamed({ config, environment })) return undefined
  const { readApiServerSettings } = await import('@hermes/server/openai/settings.ts')
  const settings = readApiServerSettings({ config, environment, home })
  if (!settings) return undefined
  const { host, port } = settings
  // Where it listens everywhere, it is asked here.
  const address = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host
  const url = `http://${address}:${port}`
  try {
    const answer = await fetch(`${url}/health`, { signal: AbortSignal.any([signal, AbortSignal.timeout(probeMs)]) })
    await answer.body?.cancel()
    return answer.ok ? { url, answers: true } : { url, answers: false, reason: `status ${answer.status}` }
  } catch (error) {
    signal.throwIfAborted()
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    return { url, answers: false, reason: cause instanceof Error ? cause.message : String(cause) }
  }
}
