// https://docs.browserbase.com/reference/api/create-a-session. A session goes on when its connection breaks
// (`keepAlive`), so it must be released. Plans that lack keepAlive or proxies answer 402.
import { z } from 'zod'
import type { Environment } from '../agent/context.ts'
import type { BackendContext, BrowserBackend } from './browser-backend.ts'
import { openCloudBrowser } from './cloud-browser.ts'
import { callService, ServiceRefusal } from './service-call.ts'

export const browserbase: BrowserBackend = {
  name: 'browserbase',
  label: 'Browserbase',
  async open(context, signal) {
    return openCloudBrowser(await begin(context, signal), signal)
  },
}

const service = 'Browserbase'
const created = z.looseObject({ id: z.string(), connectUrl: z.string() })

async function begin({ environment, log }: BackendContext, signal: AbortSignal) {
  const base = (environment['BROWSERBASE_BASE_URL'] || 'https://api.browserbase.com').replace(/\/$/, '')
  const headers = { 'x-bb-api-key': environment['BROWSERBASE_API_KEY'] ?? '' }
  const projectId = environment['BROWSERBASE_PROJECT_ID'] ?? ''
  let wanted: Wanted = wantedFeatures(environment)
  let lacking: string | undefined
  for (;;) {
    try {
      const call = { service, url: `${base}/v1/sessions`, method: 'POST', headers } as const
      const session = await callService({ ...call, body: { projectId, ...bodyOf(wanted) } }, created, signal)
      return {
        cdpUrl: session.connectUrl,
        stealthFeatures: featuresOf(wanted),
        ...(lacking !== undefined && { stealthWarning: lacking }),
        stop: (stopping: AbortSignal) =>
          callService(
            { ...call, url: `${base}/v1/sessions/${session.id}`, body: { projectId, status: 'REQUEST_RELEASE' } },
            z.unknown(),
            stopping,
          ),
      }
    } catch (error) {
      const less = error instanceof ServiceRefusal && error.status === 402 ? withLess(wanted) : undefined
      if (!less) throw error
      log.info({ service }, 'the plan lacks a feature; asking for less')
      wanted = less
      lacking = 'The plan of Browserbase lacks keep-alive or proxies; pages may take the browser for a robot.'
    }
  }
}

interface Wanted {
  readonly keepAlive: boolean
  readonly proxies: boolean
  readonly advancedStealth: boolean
  readonly timeoutSeconds: number | undefined
}

function wantedFeatures(environment: Environment): Wanted {
  const flag = (name: string, usual: boolean) => {
    const value = environment[name]?.trim().toLowerCase()
    return value ? !['false', '0', 'no', 'off'].includes(value) : usual
  }
  const timeout = Number(environment['BROWSERBASE_SESSION_TIMEOUT'])
  return {
    keepAlive: flag('BROWSERBASE_KEEP_ALIVE', true),
    proxies: flag('BROWSERBASE_PROXIES', true),
    advancedStealth: flag('BROWSERBASE_ADVANCED_STEALTH', false),
    timeoutSeconds: Number.isInteger(timeout) && timeout > 0 ? Math.min(21_600, Math.max(60, timeout)) : undefined,
  }
}

function bodyOf({ keepAlive, proxies, advancedStealth, timeoutSeconds }: Wanted) {
  return {
    ...(keepAlive && { keepAlive }),
    ...(proxies && { proxies }),
    ...(advancedStealth && { browserSettings: { advancedStealth } }),
    ...(timeoutSeconds !== undefined && { timeout: timeoutSeconds }),
  }
}

/** First without what a break of the connection needs, then without proxies. */
function withLess(wanted: Wanted): Wanted | undefined {
  if (wanted.keepAlive) return { ...wanted, keepAlive: false }
  return wanted.proxies ? { ...wanted, proxies: false } : undefined
}

function featuresOf({ keepAlive, proxies, advancedStealth }: Wanted): readonly string[] {
  return [
    ...(proxies ? ['residential_proxies'] : []),
    ...(advancedStealth ? ['advanced_stealth'] : []),
    ...(keepAlive ? ['keep_alive'] : []),
  ]
}
