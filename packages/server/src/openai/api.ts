import type { IncomingHttpHeaders } from 'node:http'
import type { AgentContext } from '@hermes/core/agent/context.ts'
import { HttpError } from '../http/http-error.ts'
import type { IdempotentRuns } from '../http/idempotency.ts'
import type { ApiServerSettings } from './settings.ts'
import type { ApiTurns } from './turns/api-turn.ts'
import { checkSessionId } from './turns/sessions.ts'
import type { ApiSessions } from './turns/sessions.ts'

/** What the endpoints share. */
export interface Api {
  readonly agent: AgentContext
  readonly settings: ApiServerSettings
  readonly turns: ApiTurns
  readonly sessions: ApiSessions
  readonly idempotent: IdempotentRuns
  /** Silence after which streams say that they go on, ms. */
  readonly keepAliveMs: number
}

const sessionHeader = 'x-hermes-session-id'

/** Tells the client its session; what a header cannot carry is percent-encoded. */
export function sessionHeaders(id: string): Readonly<Record<string, string>> {
  return { [sessionHeader]: /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(id) ? id : encodeURIComponent(id) }
}

/**
 * The session that a request names, by header or body. Sessions of others could be read that way, so it takes a key; without
 * one a field of the body, which some front ends send for ends of their own, says nothing. Throws `HttpError`.
 */
export function namedSession(
  headers: IncomingHttpHeaders,
  inBody: string | null | undefined,
  { key }: ApiServerSettings,
): string | undefined {
  const header = headers[sessionHeader]
  const given = (Array.isArray(header) ? header[0] : header) || inBody || undefined
  if (given === undefined || (key === '' && !header)) return undefined
  if (inBody && header && inBody !== header) {
    throw new HttpError(400, 'invalid_session_id', 'The header and the body name different sessions.')
  }
  if (key === '') throw needsKey()
  return checkSessionId(given)
}

export function needsKey(): HttpError {
  return new HttpError(403, 'session_needs_key', 'Naming a session takes a server with a key: set API_SERVER_KEY.')
}

/** The key of a request that must not be carried out twice. */
export function idempotencyKey({ 'idempotency-key': key }: IncomingHttpHeaders): string | undefined {
  const given = Array.isArray(key) ? key[0] : key
  if (given && given.length > 512) {
    throw new HttpError(400, 'invalid_idempotency_key', 'An Idempotency-Key has at most 512 characters.')
  }
  return given || undefined
}
