import type { EventStream } from '../../http/event-stream.ts'
import type { Exchange, Route } from '../../http/exchange.ts'
import { HttpError } from '../../http/http-error.ts'
import { idempotencyKey } from '../api.ts'
import type { Api } from '../api.ts'
import type { ResponseEvent, ResponseObject } from './response-output.ts'
import { readResponseRequest } from './response-request.ts'
import type { ResponseRequest } from './response-request.ts'
import type { ResponseStore } from './response-store.ts'
import { runResponse } from './run-response.ts'

/** `/v1/responses`. https://platform.openai.com/docs/api-reference/responses */
export function responseRoutes(api: Api, store: ResponseStore, maxBodyBytes: number): readonly Route[] {
  const path = '/v1/responses/:id'
  return [
    {
      method: 'POST',
      path: '/v1/responses',
      maxBodyBytes,
      async handle(exchange) {
        const request = readResponseRequest(await exchange.json())
        if (request.isStream) {
          await streamResponse(exchange, { api, store, request })
          return
        }
        const work = (signal: AbortSignal) => inOnePiece({ api, store, request }, signal)
        const key = idempotencyKey(exchange.headers)
        const response = await (key === undefined
          ? work(exchange.signal)
          : api.idempotent.run(`responses ${key}`, request, work, exchange.signal))
        exchange.send(200, response)
      },
    },
    {
      method: 'GET',
      path,
      async handle(exchange) {
        const { id = '' } = exchange.params
        const found = await store.get(id)
        if (!found) throw notThere(id)
        exchange.send(200, found.response)
      },
    },
    {
      method: 'DELETE',
      path,
      async handle(exchange) {
        const { id = '' } = exchange.params
        if (!(await store.remove(id))) throw notThere(id)
        exchange.send(200, { id, object: 'response', deleted: true })
      },
    },
  ]
}

interface Work {
  readonly api: Api
  readonly store: ResponseStore
  readonly request: ResponseRequest
}

async function inOnePiece(work: Work, signal: AbortSignal): Promise<ResponseObject> {
  const { response, error } = await runResponse(work, signal)
  if (error) throw error
  signal.throwIfAborted()
  return response
}

async function streamResponse(exchange: Exchange, work: Work): Promise<void> {
  let stream: EventStream | undefined
  let sequence = 0
  const onEvents = async (events: readonly ResponseEvent[]) => {
    stream ??= exchange.stream({ keepAliveMs: work.api.keepAliveMs })
    for (const event of events) {
      await stream.send({ ...event, sequence_number: sequence++ }, { event: event.type })
    }
  }
  await runResponse({ ...work, onEvents }, exchange.signal)
  stream?.end()
}

function notThere(id: string): HttpError {
  return new HttpError(404, 'response_not_found', `There is no response ${id}.`)
}
