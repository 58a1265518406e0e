import { randomBytes } from 'node:crypto'
import type { DecisionRequest } from '@hermes/core/agent/decision.ts'
import { HttpError } from '../../http/http-error.ts'
import type { Api } from '../api.ts'
import { errorBody } from '../error-body.ts'
import type { ResponseRequest } from '../responses/response-request.ts'
import type { ResponseStore } from '../responses/response-store.ts'
import { historyOf, imagesBefore, knownSession } from '../responses/run-response.ts'
import { createRunDecisions } from './run-decisions.ts'
import type { RunDecisions } from './run-decisions.ts'
import { createRunEvents } from './run-events.ts'
import type { RunEvent } from './run-events.ts'
import { createRunLog } from './run-log.ts'
import type { RunLog } from './run-log.ts'

export type RunStatus = 'running' | 'completed' | 'failed' | 'cancelled'

/** A turn that goes on whether somebody reads its events or not. */
export interface Run {
  readonly id: string
  readonly log: RunLog
  readonly decisions: RunDecisions
  readonly status: RunStatus
  /** Its last event, once it is over. */
  readonly end: RunEvent | undefined
  stop(): void
}

/** The runs of a server; those that are over stay for a while. */
export interface Runs extends AsyncDisposable {
  readonly running: number
  /** `session`: the session that it is to run in, where its client names one. Throws `HttpError` where there are too many. */
  start(request: ResponseRequest, session: string | undefined): Run
  /** Throws `HttpError`. */
  get(id: string): Run
}

const maxRunning = 10
/** Runs that are over. */
const maxEnded = 50
const keptMs = 300_000

interface KeptRun extends Run {
  status: RunStatus
  end: RunEvent | undefined
  readonly done: Promise<void>
}

export function createRuns(api: Api, responses: ResponseStore): Runs {
  const { agent } = api
  const runs = new Map<string, KeptRun>()
  const timers = new Set<NodeJS.Timeout>()

  const ofStatus = (isRunning: boolean) =>
    [...runs.values()].filter(({ status }) => (status === 'running') === isRunning)

  function begin(request: ResponseRequest, named: string | undefined): KeptRun {
    const id = `run_${randomBytes(16).toString('hex')}`
    const abort = new AbortController()
    const log = createRunLog()
    const tell = ({ event, ...fields }: RunEvent) =>
      log.append({ event, run_id: id, timestamp: agent.clock.now() / 1000, ...fields })
    const decisions = createRunDecisions({
      timeoutMs: agent.config.approvals.gateway_timeout * 1000,
      onRequest: (approval) => tell({ event: 'approval.request', ...approvalView(approval) }),
      onResult: (approval, choice) => tell({ event: 'approval.result', approval_id: approval.id, choice }),
    })
    const work = async () => {
      try {
        for await (const event of turnEvents({ id, request, named, decisions }, abort.signal)) {
          tell(event)
          if (event.event.startsWith('run.')) run.end = event
        }
      } catch (error) {
        run.end = abort.signal.aborted ? { event: 'run.cancelled' } : { event: 'run.failed', ...failed(error) }
        tell(run.end)
      }
      run.status = statusOf(run.end)
      log.close()
      forgetLater(id)
    }
    const run: KeptRun = {
      id,
      log,
      decisions,
      status: 'running',
      end: undefined,
      done: Promise.resolve().then(work),
      stop: () => abort.abort(new DOMException('The run was stopped.', 'AbortError')),
    }
    return run
  }

  async function* turnEvents(
    { id, request, named, decisions }: RunWork,
    signal: AbortSignal,
  ): AsyncGenerator<RunEvent> {
    const previous = request.previousId && !request.history ? await responses.get(request.previousId) : undefined
    const history = historyOf(request, previous)
    const known = request.earlier.length === 0 ? knownSession(previous) : undefined
    using session =
      named === undefined ? await api.sessions.continuing(known, history, id) : await api.sessions.claim(named, signal)
    if (named !== undefined) await api.sessions.seed(named, history)
    const events = createRunEvents()
    const system = request.instructions ?? previous?.instructions ?? ''
    const { message } = request
    const earlierImages = await imagesBefore(responses, request, previous)
    const turn = { sessionId: session.id, message, earlierImages, system, decide: decisions.decide }
    for await (const event of api.turns.run(turn, signal)) yield* events(event)
  }

  function failed(error: unknown): { readonly error: string; readonly code: string } {
    if (error instanceof HttpError) {
      const { message, code } = errorBody(error).error
      return { error: message, code }
    }
    agent.log.error({ error: String(error) }, 'a run broke')
    return { error: 'The server failed; its log says why.', code: 'internal_error' }
  }

  function forgetLater(id: string): void {
    for (const { id: oldest } of ofStatus(false).slice(0, -maxEnded)) runs.delete(oldest)
    const timer = setTimeout(() => {
      timers.delete(timer)
      runs.delete(id)
    }, keptMs).unref()
    timers.add(timer)
  }

  return {
    get running() {
      return ofStatus(true).length
    },
    start(request, session) {
      if (ofStatus(true).length >= maxRunning) {
        throw new HttpError(429, 'rate_limit_exceeded', `At most ${maxRunning} runs go on at a time.`, {
          headers: { 'retry-after': '5' },
        })
      }
      const run = begin(request, session)
      runs.set(run.id, run)
      return run
    },
    get(id) {
      const run = runs.get(id)
      if (!run) throw new HttpError(404, 'run_not_found', `There is no run ${id}.`)
      return run
    },
    async [Symbol.asyncDispose]() {
      for (const timer of timers) clearTimeout(timer)
      const all = [...runs.values()]
      for (const run of all) run.stop()
      await Promise.all(all.map(({ done }) => done))
    },
  }
}

interface RunWork {
  readonly id: string
  readonly request: ResponseRequest
  readonly named: string | undefined
  readonly decisions: RunDecisions
}

/** A question as clients read it. */
export function approvalView({ id, subject, reason, choices }: Extract<DecisionRequest, { kind: 'approval' }>) {
  return { approval_id: id, command: subject, reason, choices }
}

function statusOf(end: RunEvent | undefined): RunStatus {
  if (end?.event === 'run.completed') return 'completed'
  return end?.event === 'run.cancelled' ? 'cancelled' : 'failed'
}
