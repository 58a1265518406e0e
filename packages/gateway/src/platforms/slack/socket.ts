import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from '@hermes/core/log/logger.ts'
import { WebSocket } from 'ws'
import { z } from 'zod'
import { PlatformError } from '../platform-error.ts'
import type { SlackClient } from './client.ts'
import type { SlackTiming } from './settings.ts'

/** What the service brings: an event, a command, a press of a button. */
export interface Envelope {
  readonly type: string
  readonly body: unknown
}

export interface SocketOptions {
  readonly appToken: string
  readonly client: SlackClient
  readonly timing: Pick<SlackTiming, 'retryMs'>
  readonly log: Logger
  /** Resolves when it may be acknowledged; rejects where it must come again. */
  readonly take: (envelope: Envelope) => Promise<void>
}

/** Longest that a connection may take to be there, ms. */
const openMs = 30_000

/** Tries to connect anew, one after the other, before the connection counts as lost. */
const maxTries = 4

/** A connection that held so long was a good one, ms. */
const soundMs = 30_000

/** Between two pings of ours, ms. A connection that has been silent since the last one is dead. */
const pingMs = 15_000

/** Time that the service has to close a connection that we close, ms. */
const closeMs = 2_000

/** Largest frame that is taken, bytes. */
const maxFrame = 16 * 1024 * 1024

const address = z.looseObject({ url: z.url({ protocol: /^wss?$/ }) })

/** What comes over the connection: https://docs.slack.dev/apis/events-api/using-socket-mode */
const frame = z.looseObject({
  type: z.string(),
  reason: z.string().optional(),
  envelope_id: z.string().optional(),
  payload: z.unknown().optional(),
})

/**
 * Receives by Socket Mode. Resolves when it is connected; `closed` resolves with the reason when it is lost for good. The
 * service ends each connection after some hours: the next one is opened at once, and what came in between is brought again.
 * Throws `PlatformError`.
 */
export async function openSocket(
  options: SocketOptions,
  signal: AbortSignal,
): Promise<{ readonly closed: Promise<unknown> }> {
  const { log, timing } = options
  const first = await connectSocket(options, signal)

  async function keep(): Promise<unknown> {
    let current: OpenSocket | undefined = first
    let failures = 0
    let openedAt = performance.now()
    for (;;) {
      try {
        current ??= await connectSocket(options, signal)
        const reason = await current.gone
        if (signal.aborted) return signal.reason
        if (reason === 'link_disabled') {
          return new PlatformError('refused', 'Socket Mode is switched off for the app. Switch it on in its settings.')
        }
        log.debug({ reason }, 'Slack ends the connection')
        failures = performance.now() - openedAt >= soundMs ? 0 : failures + 1
      } catch (error) {
        if (signal.aborted) return signal.reason
        log.warn({ error: String(error) }, 'the connection to Slack broke')
        if (error instanceof PlatformError && error.code === 'unauthorised') return error
        if (++failures >= maxTries) return error
      }
      current = undefined
      openedAt = performance.now()
      const delay = failures === 0 ? 0 : Math.min(failures - 1, maxTries) * timing.retryMs
      await wait(delay, undefined, { signal }).catch(() => undefined)
    }
  }
  return { closed: keep() }
}

interface OpenSocket {
  /** Resolves with the service's reason, where it told one. */
  readonly gone: Promise<string | undefined>
}

async function connectSocket(options: SocketOptions, signal: AbortSignal): Promise<OpenSocket> {
  const { appToken, client, log } = options
  const limit = AbortSignal.any([signal, AbortSignal.timeout(openMs)])
  const { url } = address.parse(await client.call(appToken, 'apps.connections.open', {}, { signal, timeoutMs: openMs }))
  const socket = new WebSocket(url, {
    agent: client.agentOf(url),
    maxPayload: maxFrame,
    perMessageDeflate: false,
  })
  const greeted = Promise.withResolvers<void>()
  const gone = Promise.withResolvers<string | undefined>()
  let reason: string | undefined
  let problem = 'it was closed'
  const stopWatching = watchSilence(socket)
  const end = () => socket.terminate()
  const late = () => {
    greeted.reject(new PlatformError('unreachable', 'Slack did not open the connection in time.'))
    end()
  }
  limit.addEventListener('abort', late, { once: true })
  signal.addEventListener('abort', end, { once: true })
  socket.on('error', (error) => (problem = 'code' in error ? String(error.code) : error.message))
  socket.on('message', (data) => {
    const parsed = frame.safeParse(parseJson(Buffer.isBuffer(data) ? data.toString() : ''))
    if (!parsed.success) return
    const { type } = parsed.data
    if (type === 'hello') greeted.resolve()
    else if (type === 'disconnect') {
      reason = parsed.data.reason
      socket.close()
      setTimeout(end, closeMs).unref()
    } else takeFrame(parsed.data, socket, options)
  })
  socket.on('close', () => {
    stopWatching()
    signal.removeEventListener('abort', end)
    greeted.reject(
      new PlatformError('unreachable', `Slack cannot be reached (the web socket did not open: ${problem}).`),
    )
    log.debug({ problem }, 'a web socket of Slack is closed')
    gone.resolve(reason)
  })
  try {
    await greeted.promise
  } catch (error) {
    signal.throwIfAborted()
    throw error
  } finally {
    limit.removeEventListener('abort', late)
  }
  return { gone: gone.promise }
}

/** Hands an envelope on, and acknowledges it when that is done. */
function takeFrame(
  { type, envelope_id: id, payload }: z.infer<typeof frame>,
  socket: WebSocket,
  { take, log }: SocketOptions,
): void {
  if (id === undefined) return
  take({ type, body: payload })
    .then(() => {
      // One that is not acknowledged is brought again over the next connection.
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ envelope_id: id }))
    })
    .catch((error: unknown) => log.warn({ error: String(error) }, 'an event of Slack is not acknowledged'))
}

/** Ends a connection over which nothing comes any more, not even an answer to a ping. Returns what stops that. */
function watchSilence(socket: WebSocket): () => void {
  let isSilent = false
  const heard = () => (isSilent = false)
  for (const event of ['open', 'message', 'ping', 'pong'] as const) socket.on(event, heard)
  const timer = setInterval(() => {
    if (isSilent) return socket.terminate()
    isSilent = true
    if (socket.readyState === WebSocket.OPEN) socket.ping()
  }, pingMs)
  return () => clearInterval(timer)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
