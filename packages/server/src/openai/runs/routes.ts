import { lazily } from '@hermes/core/storage/lazily.ts'
import { z } from 'zod'
import type { Exchange, Route } from '../../http/exchange.ts'
import { HttpError } from '../../http/http-error.ts'
import { namedSession, needsKey } from '../api.ts'
import type { Api } from '../api.ts'
import { invalidBody } from '../invalid-body.ts'
import { readResponseRequest } from '../responses/response-request.ts'
import { checkSessionId } from '../turns/sessions.ts'
import { approvalView } from './runs.ts'
import type { Run, Runs } from './runs.ts'

const approvalBody = lazily(() =>
  z.looseObject({
    choice: z.enum(['once', 'session', 'always', 'deny']),
    /** Which one; the oldest when absent. */
    approval_id: z.string().nullish(),
    all: z.boolean().nullish(),
  }),
)

/** `/v1/runs`: turns that go on by themselves, whose events can be read from any place, and whose questions answered. */
export function runRoutes(api: Api, runs: Runs, maxBodyBytes: number): readonly Route[] {
  const runOf = ({ params: { id = '' } }: Exchange) => runs.get(id)
  return [
    {
      method: 'POST',
      path: '/v1/runs',
      maxBodyBytes,
      async handle(exchange) {
        const request = readResponseRequest(await exchange.json())
        const session = await runSession(exchange, request.sessionId, api)
        const run = runs.start(request, session)
        exchange.send(202, { run_id: run.id, status: 'started' })
      },
    },
    {
      method: 'GET',
      path: '/v1/runs/:id',
      handle: async (exchange) => exchange.send(200, runView(runOf(exchange))),
    },
    { method: 'GET', path: '/v1/runs/:id/events', handle: (exchange) => sendEvents(exchange, runOf(exchange), api) },
    {
      method: 'POST',
      path: '/v1/runs/:id/approval',
      async handle(exchange) {
        const run = runOf(exchange)
        const body = await exchange.json()
        const parsed = approvalBody().safeParse(body)
        if (!parsed.success) throw invalidBody(parsed.error, body)
        const { choice, approval_id: id, all } = parsed.data
        const open = run.decisions.open().filter((one) => !id || one.id === id)
        const chosen = all ? open : open.slice(0, 1)
        if (chosen.length === 0) throw new HttpError(409, 'no_pending_approval', 'The run asks nothing now.')
        const refuses = chosen.find(({ choices }) => !choices.includes(choice))
        if (refuses) {
          const offered = refuses.choices.join(', ')
          throw new HttpError(400, 'choice_not_offered', `What may be chosen here: ${offered}.`, { param: 'choice' })
        }
        run.decisions.answer(chosen, choice)
        exchange.send(200, { run_id: run.id, choice, resolved: chosen.length })
      },
    },
    {
      method: 'POST',
      path: '/v1/runs/:id/stop',
      async handle(exchange) {
        const run = runOf(exchange)
        run.stop()
        exchange.send(200, { run_id: run.id, status: run.status === 'running' ? 'stopping' : run.status })
      },
    },
  ]
}

/** Without a key a client may name sessions of this server alone. Throws `HttpError`. */
async function runSession(
  { headers }: Exchange,
  inBody: string | undefined,
  { agent, settings }: Api,
): Promise<string | undefined> {
  if (settings.key !== '' || inBody === undefined) return namedSession(headers, inBody, settings)
  const session = await agent.sessions.get(checkSessionId(inBody))
  if (session && session.source !== 'api_server') throw needsKey()
  return inBody
}

async function sendEvents(exchange: Exchange, { log }: Run, { keepAliveMs }: Api): Promise<void> {
  const after = lastEventId(exchange)
  log.check(after)
  const stream = exchange.stream({ keepAliveMs })
  for await (const { id, data } of log.read(after, exchange.signal)) await stream.send(data, { id })
  stream.end(': stream closed\n\n')
}

/** The last event that the reader has; 0 for none. A browser's `EventSource` sends it by itself. Throws `HttpError`. */
function lastEventId({ headers, query }: Exchange): number {
  const given = headers['last-event-id'] ?? query.get('last_event_id') ?? '0'
  if (typeof given !== 'string' || !/^\d{1,15}$/.test(given)) {
    throw new HttpError(400, 'invalid_event_id', 'Last-Event-ID must be the number of an event.')
  }
  return Number(given)
}

function runView({ id, status, end, decisions }: Run) {
  const { event: _name, ...result } = end ?? { event: '' }
  return { run_id: id, status, ...result, approvals: decisions.open().map(approvalView) }
}
