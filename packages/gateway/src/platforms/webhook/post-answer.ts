import { hash } from 'node:crypto'
import type { OutboundAnswer, Outbound } from '../../http/outbound.ts'
import { PlatformError } from '../platform-error.ts'
import { hmac, noAuthentication } from './signature.ts'

/** The target's name in `deliver`; the address is in `deliver_extra`, and nothing that an event says goes into it. */
export const toUrl = 'url'

/** How long an address may take to answer, ms. */
const timeoutMs = 30_000

/** What was never connected was never sent. */
const neverSent = /ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ENETDOWN|CONNECT_TIMEOUT|CERT_/

/** Says that it could not be taken now. */
const passing: ReadonlySet<number> = new Set([408, 425, 429, 503])

/** The address that a target means, where it is one. Throws `PlatformError` for one that nothing can be sent to. */
export function readUrlTarget(target: string): URL | undefined {
  if (target !== toUrl && !target.startsWith(`${toUrl}:`)) return undefined
  const url = URL.parse(target.slice(toUrl.length + 1))
  if (url && isWebAddress(url)) return url
  throw new PlatformError(
    'refused',
    'The route has no address for answers. Set deliver_extra.url to an http(s) address.',
  )
}

export function isWebAddress({ protocol }: URL): boolean {
  return protocol === 'http:' || protocol === 'https:'
}

export interface AnswerToPost {
  readonly url: URL
  /** The same when it is sent again. */
  readonly key: string
  readonly route: string
  /** The event's id. */
  readonly deliveryId: string
  readonly text: string
  /** What the route's own requests are signed with; '' where there is none. */
  readonly secret: string
}

/**
 * Posts an answer as JSON, signed as events are that come to our own routes: another Hermes can take it as one. Throws
 * `PlatformError`, which names no more of the address than its host: its path may be a secret.
 */
export async function postAnswer(answer: AnswerToPost, outbound: Outbound, signal: AbortSignal): Promise<void> {
  const { url, key, route, deliveryId, text, secret } = answer
  const body = JSON.stringify({ event_type: 'answer', route, delivery_id: deliveryId, text })
  const isSigned = secret !== '' && secret !== noAuthentication
  const headers = {
    'content-type': 'application/json',
    'idempotency-key': hash('sha256', key).slice(0, 32),
    ...(isSigned && { 'x-webhook-signature': `sha256=${hmac(secret, body)}` }),
  }
  const within = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  let response: OutboundAnswer
  try {
    response = await outbound.send(url.href, { method: 'POST', headers, body, signal: within })
  } catch (error) {
    signal.throwIfAborted()
    throw asPlatformError(error, url.host)
  }
  response.discard()
  if (!response.isOk) throw refusal(response, url.host)
}

function asPlatformError(error: unknown, host: string): PlatformError {
  if (!(error instanceof Error)) throw error
  const reason = 'code' in error && typeof error.code === 'string' ? error.code : error.message
  return neverSent.test(reason)
    ? new PlatformError('unreachable', `${host} cannot be reached (${reason}).`, { cause: error })
    : new PlatformError('uncertain', `${host} did not say whether it took the answer (${reason}).`, { cause: error })
}

function refusal(response: OutboundAnswer, host: string): PlatformError {
  const said = `${host} answered with status ${response.status}.`
  const seconds = Number(response.header('retry-after') ?? '')
  if (passing.has(response.status)) {
    if (seconds > 0) return new PlatformError('rate-limited', said, { retryAfterMs: seconds * 1000 })
    return new PlatformError('unreachable', said)
  }
  return new PlatformError(response.status >= 500 ? 'uncertain' : 'refused', said)
}
