import { createHmac, randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { ServerSocket } from '../media-services/web-socket-server.ts'
import type { Fields } from './world.ts'

/** What the service brings to the app. */
export interface Delivery {
  readonly type: 'events_api' | 'slash_commands' | 'interactive'
  readonly payload: Fields
}

/** Where deliveries are brought by HTTP instead of a web socket. */
export interface RequestUrl {
  readonly url: string
  readonly signingSecret: string
}

/**
 * Brings deliveries as the service does: each must be acknowledged in time; events that are not are brought again, three
 * times at most, with the same payload in a new envelope. https://docs.slack.dev/apis/events-api/#retries
 */
export interface Deliverer {
  give(delivery: Delivery): void
  /** Not acknowledged yet. */
  readonly pending: number
  readonly sockets: ReadonlySet<ServerSocket>
  /** How each was acknowledged: milliseconds that it took, and how often it was brought. */
  readonly acknowledged: readonly { readonly ms: number; readonly tries: number; readonly response: unknown }[]
  /** A socket is there. */
  attach(socket: ServerSocket): void
  detach(socket: ServerSocket): void
  onText(text: string): void
  requestUrl: RequestUrl | undefined
  close(): void
}

export interface DelivererOptions {
  /** Longest that an acknowledgement may take, ms. */
  readonly ackMs: number
  readonly onChange: () => void
}

const maxTries = 4

export function createDeliverer({ ackMs, onChange }: DelivererOptions): Deliverer {
  const sockets = new Set<ServerSocket>()
  const envelopes = new Map<string, (response: unknown) => void>()
  const acknowledged: { ms: number; tries: number; response: unknown }[] = []
  const ending = new AbortController()
  let pending = 0
  let watchers: (() => void)[] = []

  /** An answer, or undefined where none came in time. */
  async function bySocket(delivery: Delivery, tries: number): Promise<unknown> {
    while (sockets.size === 0) await new Promise<void>((resolve) => watchers.push(resolve))
    const [socket] = [...sockets].slice(-1)
    const id = randomUUID()
    const answered = new Promise<unknown>((resolve) => envelopes.set(id, (response) => resolve({ response })))
    const retry =
      tries > 1 ? { retry_attempt: tries - 1, retry_reason: 'timeout' } : { retry_attempt: 0, retry_reason: '' }
    socket?.send(
      JSON.stringify({
        envelope_id: id,
        type: delivery.type,
        payload: delivery.payload,
        accepts_response_payload: delivery.type !== 'events_api',
        ...(delivery.type === 'events_api' && retry),
      }),
    )
    const late = wait(ackMs, undefined, { signal: ending.signal }).catch(() => undefined)
    const answer = await Promise.race([answered, late])
    // An answer that comes later is no more of use.
    envelopes.delete(id)
    return answer
  }

  async function byRequest({ type, payload }: Delivery, tries: number, target: RequestUrl): Promise<unknown> {
    const isEvent = type === 'events_api'
    const body = isEvent
      ? JSON.stringify(payload)
      : new URLSearchParams(
          type === 'interactive' ? { payload: JSON.stringify(payload) } : (payload as Record<string, string>),
        ).toString()
    const signal = AbortSignal.any([AbortSignal.timeout(ackMs), ending.signal])
    const headers = {
      'content-type': isEvent ? 'application/json' : 'application/x-www-form-urlencoded',
      ...signed(body, target.signingSecret),
      ...(tries > 1 && { 'x-slack-retry-num': String(tries - 1), 'x-slack-retry-reason': 'http_timeout' }),
    }
    const response = await fetch(target.url, { method: 'POST', headers, body, signal }).catch(() => undefined)
    return response?.ok ? { response: await response.text() } : undefined
  }

  async function bring(delivery: Delivery): Promise<void> {
    const most = delivery.type === 'events_api' ? maxTries : 1
    for (let tries = 1; tries <= most && !ending.signal.aborted; tries++) {
      const startedAt = performance.now()
      const target = deliverer.requestUrl
      const answer = (await (target ? byRequest(delivery, tries, target) : bySocket(delivery, tries))) as
        | { readonly response: unknown }
        | undefined
      if (!answer) continue
      acknowledged.push({ ms: performance.now() - startedAt, tries, response: answer.response })
      break
    }
    pending--
    onChange()
  }

  const deliverer: Deliverer = {
    requestUrl: undefined,
    sockets,
    acknowledged,
    get pending() {
      return pending
    },
    give(delivery) {
      pending++
      void bring(delivery)
    },
    attach(socket) {
      sockets.add(socket)
      for (const watcher of watchers.splice(0)) watcher()
      onChange()
    },
    detach(socket) {
      sockets.delete(socket)
      onChange()
    },
    onText(text) {
      const { envelope_id: id = '', payload } = JSON.parse(text) as { envelope_id?: string; payload?: unknown }
      envelopes.get(id)?.(payload)
      envelopes.delete(id)
    },
    close() {
      ending.abort()
      watchers = []
    },
  }
  return deliverer
}

/** Headers that prove who made a request: https://docs.slack.dev/authentication/verifying-requests-from-slack */
export function signed(
  body: string,
  secret: string,
  at: number = Math.floor(Date.now() / 1000),
): Record<string, string> {
  const digest = createHmac('sha256', secret).update(`v0:${at}:${body}`).digest('hex')
  return { 'x-slack-request-timestamp': String(at), 'x-slack-signature': `v0=${digest}` }
}
