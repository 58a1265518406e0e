// FAL's queue: a request is taken with an id, asked for until it is done, and its result fetched. The path of the model
// that a request is sent to may be longer than that of its status, so the addresses that FAL names are followed; they must
// be at the same origin, since the key goes with them. https://docs.fal.ai/documentation/model-apis/inference/queue
import { z } from 'zod'
import type { Environment } from '../agent/context.ts'
import { sleep } from '../models/retry.ts'
import { createServiceClient } from '../services/service-client.ts'
import { ServiceError } from '../services/service-error.ts'

export interface FalQueueOptions {
  readonly key: string
  readonly environment: Environment
  /** Milliseconds between two looks at a request's state. Default 500. */
  readonly pollMs?: number
}

/** One request of a model. */
export interface FalRequest<Result> {
  /** e.g. `fal-ai/flux-2-pro`. */
  readonly model: string
  readonly input: Readonly<Record<string, unknown>>
  readonly result: z.ZodType<Result>
  /** Longest that the whole may take. */
  readonly timeoutMs: number
  /** How many requests are before this one; undefined once it is worked on. */
  readonly onState?: (position: number | undefined) => void
}

export interface FalQueue {
  /** Throws `ServiceError`; when `signal` aborts, its reason, and FAL is told to leave it. */
  run<Result>(request: FalRequest<Result>, signal: AbortSignal): Promise<Result>
}

const defaultUrl = 'https://queue.fal.run'
const defaultPollMs = 500
const maxPollMs = 3_000
const cancelMs = 3_000

const accepted = z.object({
  request_id: z.string(),
  status_url: z.string(),
  response_url: z.string(),
  cancel_url: z.string(),
})
const state = z.object({ status: z.string(), queue_position: z.number().nullish(), error: z.string().nullish() })

export function createFalQueue({ key, environment, pollMs = defaultPollMs }: FalQueueOptions): FalQueue {
  const baseUrl = (environment['FAL_QUEUE_URL'] || defaultUrl).replace(/\/+$/, '')
  const client = createServiceClient({
    service: 'FAL',
    baseUrl,
    auth: { scheme: 'Key', key },
    keyHint: 'Check FAL_KEY in .env.',
    environment,
    timeoutMs: 30_000,
  })

  const pathOf = (address: string): string => {
    if (address.startsWith(`${baseUrl}/`)) return address.slice(baseUrl.length)
    throw new ServiceError('malformed', `FAL names an address that is not at ${baseUrl}.`)
  }

  async function waitFor(statusPath: string, request: FalRequest<unknown>, signal: AbortSignal): Promise<void> {
    for (let waitMs = pollMs; ; waitMs = Math.min(maxPollMs, waitMs * 1.3)) {
      const { status, queue_position: position, error } = await client.call(state, { path: statusPath }, signal)
      if (error) throw new ServiceError('refused', `FAL failed: ${error.slice(0, 300)}`)
      if (status === 'COMPLETED') return
      if (status !== 'IN_QUEUE' && status !== 'IN_PROGRESS') {
        throw new ServiceError('refused', `FAL did not finish the request (${status}).`)
      }
      request.onState?.(status === 'IN_QUEUE' ? (position ?? 0) : undefined)
      await sleep(waitMs, signal)
    }
  }

  return {
    async run(request, signal) {
      const timeout = AbortSignal.timeout(request.timeoutMs)
      const limited = AbortSignal.any([signal, timeout])
      let cancelPath: string | undefined
      try {
        const body = request.input
        const ticket = await client.call(accepted, { method: 'POST', path: `/${request.model}`, body }, limited)
        cancelPath = pathOf(ticket.cancel_url)
        await waitFor(pathOf(ticket.status_url), request, limited)
        cancelPath = undefined
        return await client.call(request.result, { path: pathOf(ticket.response_url) }, limited)
      } catch (error) {
        if (cancelPath !== undefined && limited.aborted) await cancel(cancelPath)
        signal.throwIfAborted()
        if (!timeout.aborted) throw error
        const seconds = request.timeoutMs / 1000
        throw new ServiceError('timeout', `FAL was not done within ${seconds} s.`, { cause: error })
      }
    },
  }

  /** A request that is waiting is taken out; one that is worked on goes on, and nobody fetches it. */
  async function cancel(path: string): Promise<void> {
    try {
      await client.call(z.unknown(), { method: 'PUT', path, timeoutMs: cancelMs }, new AbortController().signal)
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
    }
  }
}
