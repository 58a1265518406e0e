import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from '@hermes/core/log/logger.ts'
import { PlatformError } from '../platform-error.ts'
import { holdSocket, opcode } from './gateway-socket.ts'
import type { OpenSocket } from './outbound-http.ts'
import { ready } from './payloads.ts'
import type { DiscordReady, GatewayFrame } from './payloads.ts'
import type { DiscordTiming } from './settings.ts'

/** GUILDS, GUILD_MESSAGES, DIRECT_MESSAGES, MESSAGE_CONTENT: https://discord.com/developers/docs/events/gateway#gateway-intents */
const intents = (1 << 0) | (1 << 9) | (1 << 12) | (1 << 15)

/** Connections in a row that may fail before they give an event; then the session counts as lost. */
const maxFailures = 5

const maxPauseMs = 30_000

/** A connection that held so long was a good one, ms. */
const soundMs = 60_000

export interface SessionOptions {
  /** As the service names it for new sessions. */
  readonly url: string
  readonly token: string
  readonly connect: (url: string) => Promise<OpenSocket>
  readonly timing: DiscordTiming
  readonly log: Logger
  /** A session has begun; what came before it is not given. */
  readonly onReady: (session: DiscordReady) => void
  readonly onEvent: (type: string, data: unknown) => void
}

/**
 * Keeps a session of the gateway until it is lost or `signal` aborts; resolves to why. A connection that breaks is made
 * anew and the session resumed: then the service gives what came meanwhile, perhaps again.
 */
export async function keepSession(options: SessionOptions, signal: AbortSignal): Promise<unknown> {
  const { timing, log, connect } = options
  let session: DiscordReady | undefined
  let seq: number | undefined
  let failures = 0
  let quick = 0

  const onEvent = ({ t: type, s, d }: GatewayFrame) => {
    if (typeof s === 'number') seq = Math.max(s, seq ?? 0)
    if (type === 'READY') {
      session = ready.parse(d)
      options.onReady(session)
    } else if (typeof type === 'string') options.onEvent(type, d)
  }
  const greeting = () =>
    session
      ? { op: opcode.resume, d: { token: options.token, session_id: session.session_id, seq: seq ?? 0 } }
      : { op: opcode.identify, d: { token: options.token, intents, properties: ourselves } }

  for (;;) {
    if (signal.aborted) return signal.reason
    const startedAt = performance.now()
    try {
      const socket = await connect(`${session?.resume_gateway_url ?? options.url}?v=10&encoding=json`)
      const end = await holdSocket({ socket, greeting, seq: () => seq, onEvent, readyMs: timing.readyMs }, signal)
      if (signal.aborted) return signal.reason
      if (end.type === 'fatal') return end.error
      if (!end.canResume) {
        session = undefined
        seq = undefined
      }
      failures = end.isReady ? 0 : failures + 1
    } catch (error) {
      if (signal.aborted) return signal.reason
      log.warn({ error: String(error) }, 'the gateway cannot be connected to')
      failures++
    }
    // An address that only a session had may be gone.
    if (failures >= 2) session = undefined
    if (failures >= maxFailures) return new PlatformError('unreachable', 'Discord’s gateway cannot be reached.')
    quick = performance.now() - startedAt >= soundMs ? 0 : quick + 1
    const most = Math.min(maxPauseMs, timing.retryMs * 2 ** quick)
    await wait(most / 2 + (Math.random() * most) / 2, undefined, { signal }).catch(() => undefined)
  }
}

const ourselves = { os: process.platform, browser: 'hermes', device: 'hermes' }
