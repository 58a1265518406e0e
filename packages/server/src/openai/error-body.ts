import type { TurnFailure } from '@hermes/core/agent/events.ts'
import { HttpError } from '../http/http-error.ts'

/** An error as OpenAI's clients read it. */
export function errorBody({ status, code, message, param }: HttpError) {
  const type = status >= 500 ? 'server_error' : 'invalid_request_error'
  return { error: { message, type, param: param ?? null, code } }
}

/** Statuses of failures that are not simply the server's. */
const statuses: Readonly<Record<string, number>> = {
  'rate-limited': 429,
  overloaded: 503,
  'session-busy': 409,
  timeout: 504,
}

/** A turn's failure as an answer. Clients must not send the request again by themselves: tools may have run. */
export function failureError({ code, message }: TurnFailure): HttpError {
  return new HttpError(statuses[code] ?? 500, code.replaceAll('-', '_'), message, {
    headers: { 'x-should-retry': 'false' },
  })
}
