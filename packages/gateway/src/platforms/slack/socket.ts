import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from '@hermes/core/log/logger.ts'
import type { SocketModeClient } from '@slack/socket-mode'
import { z } from 'zod'
import { PlatformError } from '../platform-error.ts'
import type { SlackClient } from './client.ts'
import { asPlatformError } from './errors.ts'
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

const envelope = z.looseObject({
  type: z.string(),
  body: z.unknown(),
  ack: z.custom<() => Promise<void>>((value) => typeof value === 'function'),
})
const farewell = z.looseObject({ type: z.literal('disconnect'), reason: z.string().optional() })

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

async function connectSocket({ appToken, client, take, log }: SocketOptions, signal: AbortSignal): Promise<OpenSocket> {
  const { SocketModeClient } = await import('@slack/socket-mode')
  signal.throwIfAborted()
  // Its own way of connecting anew leaves failures to nobody, which would end the process.
  const socket = new SocketModeClient({ appToken, autoReconnectEnabled: false, ...client.socketOptions })
  let reason: string | undefined
  socket.on('ws_message', (data: unknown) => {
    const parsed =
      typeof data === 'string' && data.includes('"disconnect"') ? farewell.safeParse(parseJson(data)) : undefined
    if (parsed?.success) reason = parsed.data.reason
  })
  socket.on('slack_event', (given: unknown) => {
    // What is thrown here would reach nobody.
    const parsed = envelope.safeParse(given)
    if (!parsed.success) return
    const { type, body, ack } = parsed.data
    take({ type, body })
      .then(() => ack())
      .catch((error: unknown) => log.warn({ error: String(error) }, 'an event of Slack is not acknowledged'))
  })
  const gone = new Promise<string | undefined>((resolve) => {
    socket.on('disconnected', () => {
      signal.removeEventListener('abort', end)
      resolve(reason)
    })
  })
  const end = () => void socket.disconnect().catch(() => undefined)
  signal.addEventListener('abort', end, { once: true })
  try {
    await started(socket, AbortSignal.any([signal, AbortSignal.timeout(openMs)]))
  } catch (error) {
    signal.removeEventListener('abort', end)
    // It may still be about to connect.
    socket.on('connected', end)
    end()
    signal.throwIfAborted()
    throw asPlatformError(error, 'apps.connections.open')
  }
  return { gone }
}

/** Resolves when the service has greeted. */
async function started(socket: SocketModeClient, signal: AbortSignal): Promise<void> {
  const late = Promise.withResolvers<never>()
  const abort = () => late.reject(new PlatformError('unreachable', 'Slack did not open the connection in time.'))
  signal.addEventListener('abort', abort, { once: true })
  try {
    const starting = socket.start().catch((error: unknown) => {
      // It says nothing where the web socket did not come about.
      throw error ?? new PlatformError('unreachable', 'Slack cannot be reached (the web socket did not open).')
    })
    await Promise.race([starting, late.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
