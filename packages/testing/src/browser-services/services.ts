// The parts of three services' APIs that begin and end a browser, as their public documents have them:
// https://docs.browserbase.com/reference/api/create-a-session, https://docs.browser-use.com/cloud/browser and
// https://docs.firecrawl.dev/api-reference/endpoint/browser-create. Their browsers are one that runs on this machine.
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { bareRoute, ok, route, startStandIn } from '../memory-services/stand-in.ts'
import type { Reply, Route, StandInService } from '../memory-services/stand-in.ts'
import { isBearer } from '../memory-services/fast-api.ts'

/** A stand-in of a service that runs browsers. */
export interface StandInBrowserService extends StandInService {
  readonly key: string
  /** Sessions that were begun and not ended. */
  readonly running: ReadonlySet<string>
}

export interface BrowserServiceOptions {
  /** Where the browser is: `http://127.0.0.1:port` for Browser Use, whose addresses are such; else `ws://…`. */
  readonly cdpUrl: string
  /** Most sessions at once. */
  readonly maxSessions?: number
  /** The plan pays for neither keep-alive nor proxies. */
  readonly isFreePlan?: boolean
}

/** Begins a session, unless there are too many. */
function sessions(maxSessions: number): Sessions {
  const running = new Set<string>()
  return {
    running,
    begin: (answer) => {
      if (running.size >= maxSessions) return { status: 429, body: { message: 'Too many sessions' } }
      const id = randomUUID()
      running.add(id)
      return answer(id)
    },
    end: (id) =>
      running.delete(id ?? '') ? ok({ id, status: 'stopped' }) : { status: 404, body: { message: 'No session' } },
  }
}

interface Sessions {
  readonly running: ReadonlySet<string>
  readonly begin: (answer: (id: string) => Reply) => Reply
  readonly end: (id: string | undefined) => Reply
}

async function start(routes: readonly Route[], { key, isAuthorized, running }: Parts): Promise<StandInBrowserService> {
  const service = await startStandIn(routes, {
    authorize: (headers) => (isAuthorized(headers) ? undefined : { status: 401, body: { message: 'Unauthorized' } }),
    notFound: { status: 404, body: { message: 'Not found' } },
    invalid: (error) => ({ status: 400, body: { message: z.prettifyError(error) } }),
  })
  return { ...service, key, running, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() }
}

interface Parts {
  readonly key: string
  readonly isAuthorized: (headers: Readonly<Record<string, string | string[] | undefined>>) => boolean
  readonly running: ReadonlySet<string>
}

/** Browserbase. */
export function startBrowserbase({ cdpUrl, maxSessions = 1, isFreePlan = false }: BrowserServiceOptions) {
  const key = 'bb_made-up-key'
  const { running, begin, end } = sessions(maxSessions)
  const wanted = z.strictObject({
    projectId: z.literal('project-1'),
    keepAlive: z.boolean().optional(),
    proxies: z.boolean().optional(),
    timeout: z.int().min(60).max(21_600).optional(),
    browserSettings: z.looseObject({ advancedStealth: z.boolean().optional() }).optional(),
  })
  const release = z.strictObject({ projectId: z.string(), status: z.literal('REQUEST_RELEASE') })
  const routes = [
    route('POST', '/v1/sessions', wanted, ({ body }) => {
      if (isFreePlan && (body.keepAlive || body.proxies)) return { status: 402, body: { message: 'Payment required' } }
      return begin((id) => ({ status: 201, body: { id, status: 'RUNNING', connectUrl: cdpUrl, expiresAt: null } }))
    }),
    route('POST', '/v1/sessions/:id', release, ({ params }) => end(params['id'])),
  ]
  return start(routes, { key, running, isAuthorized: (headers) => headers['x-bb-api-key'] === key })
}

/** Browser Use. */
export function startBrowserUse({ cdpUrl, maxSessions = 1 }: BrowserServiceOptions) {
  const key = 'bu_made-up-key'
  const { running, begin, end } = sessions(maxSessions)
  const wanted = z.strictObject({
    profileId: z.string().optional(),
    proxyCountryCode: z.string().optional(),
    timeout: z.int().min(1).max(240).optional(),
  })
  const routes = [
    route('POST', '/api/v3/browsers', wanted, () =>
      begin((id) => ({ status: 201, body: { id, status: 'active', cdpUrl, liveUrl: 'https://live.example/' } })),
    ),
    route('PATCH', '/api/v3/browsers/:id', z.strictObject({ action: z.literal('stop') }), ({ params }) =>
      end(params['id']),
    ),
  ]
  return start(routes, { key, running, isAuthorized: (headers) => headers['x-browser-use-api-key'] === key })
}

/** Firecrawl. */
export function startFirecrawlBrowsers({ cdpUrl, maxSessions = 1 }: BrowserServiceOptions) {
  const key = 'fc-made-up-key'
  const { running, begin, end } = sessions(maxSessions)
  const wanted = z.strictObject({
    ttl: z.int().min(30).max(3_600).optional(),
    activityTtl: z.int().min(10).max(3_600).optional(),
  })
  const routes = [
    route('POST', '/v2/browser', wanted, () =>
      begin((id) => ok({ success: true, id, cdpUrl, expiresAt: '2030-01-01' })),
    ),
    bareRoute('DELETE', '/v2/browser/:id', ({ params }) => {
      const ended = end(params['id'])
      return ended.status === 200 ? ok({ success: true, sessionDurationMs: 1 }) : ended
    }),
  ]
  return start(routes, { key, running, isAuthorized: (headers) => isBearer(headers, key) })
}
