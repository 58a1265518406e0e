import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from '@hermes/core/log/logger.ts'
import { notingPenalties } from '../deliver/noting-penalties.ts'
import { createRateBudget } from '../deliver/rate-budget.ts'
import type { RateBudget } from '../deliver/rate-budget.ts'
import { startSender } from '../deliver/sender.ts'
import type { Sender } from '../deliver/sender.ts'
import type { Outbox } from '../store/outbox.ts'
import { PlatformError } from './platform-error.ts'
import type { Connection, Platform, PlatformHost } from './platform.ts'

/** Waits between two tries to connect, ms. After a refused token nothing but a longer wait may help. */
const firstWaitMs = 1_000
const maxWaitMs = 300_000
const refusedWaitMs = 900_000

/** A connection that held so long was a good one: the next try begins at once. */
const soundMs = 60_000

export type PlatformState = 'connecting' | 'connected' | 'retrying' | 'fatal' | 'disconnected'

export interface PlatformStatus {
  readonly platform: string
  readonly state: PlatformState
  /** Since when, ms since 1970. */
  readonly since: number
  readonly error?: string
  /** What kind of failure it is, where the platform says so. */
  readonly code?: PlatformError['code']
}

/** One platform, kept connected. */
export interface PlatformRunner extends AsyncDisposable {
  readonly status: PlatformStatus
  /** What can be used now; undefined while it is not connected. */
  readonly live: LiveConnection | undefined
  /** Something was queued for it. */
  wake(): void
  /** Resolves when the first try to connect has ended, well or badly. */
  readonly tried: Promise<void>
}

export interface LiveConnection {
  readonly connection: Connection
  readonly budget: RateBudget
}

export interface PlatformRunnerOptions<Settings, Host extends PlatformHost> {
  readonly platform: Platform<Settings, Host>
  readonly settings: Settings
  readonly host: Host
  readonly outbox: Outbox
  readonly log: Logger
  readonly now: () => number
  readonly onStatus: (status: PlatformStatus) => void
}

/** Connects, sends what is queued, and connects again for ever; what happens to it touches no other platform. */
export function startPlatform<Settings, Host extends PlatformHost>(
  options: PlatformRunnerOptions<Settings, Host>,
): PlatformRunner {
  const { platform, settings, host, outbox, log, now, onStatus } = options
  const ending = new AbortController()
  const tried = Promise.withResolvers<void>()
  let status: PlatformStatus = { platform: platform.name, state: 'connecting', since: now() }
  let live: (LiveConnection & { readonly sender: Sender }) | undefined

  const enter = (state: PlatformState, error?: string, code?: PlatformError['code']) => {
    const failure = { ...(error !== undefined && { error }), ...(code !== undefined && { code }) }
    status = { platform: platform.name, state, since: now(), ...failure }
    onStatus(status)
  }

  async function hold(connected: Connection): Promise<void> {
    const budget = createRateBudget(connected.rates)
    const connection = notingPenalties(connected, budget)
    await using sender = startSender({ platform: platform.name, connection, outbox, budget, log, now })
    live = { connection, budget, sender }
    enter('connected')
    tried.resolve()
    try {
      const reason = await Promise.race([connection.closed, aborted(ending.signal)])
      if (ending.signal.aborted) return
      // Another process has the account, or the token is no good any more: that does not mend at once.
      if (isRefusal(reason)) throw reason
      log.warn({ platform: platform.name, error: String(reason) }, 'connection lost')
    } finally {
      live = undefined
    }
  }

  async function run(): Promise<void> {
    for (let failures = 0; !ending.signal.aborted;) {
      let delay = firstWaitMs
      const startedAt = now()
      try {
        enter('connecting')
        const connection = await platform.connect(settings, host, ending.signal)
        try {
          await hold(connection)
        } finally {
          await connection[Symbol.asyncDispose]()
        }
        failures = now() - startedAt >= soundMs ? 0 : failures + 1
        delay = waitAfter(failures)
        if (!ending.signal.aborted) enter('retrying', 'The connection was lost.')
      } catch (error) {
        if (ending.signal.aborted) break
        const message = error instanceof Error ? error.message : String(error)
        const isRefused = isRefusal(error)
        delay = isRefused ? refusedWaitMs : waitAfter(++failures)
        log.error({ platform: platform.name, error: message }, 'cannot connect')
        enter(isRefused ? 'fatal' : 'retrying', message, error instanceof PlatformError ? error.code : undefined)
        tried.resolve()
      }
      await wait(delay, undefined, { signal: ending.signal }).catch(() => undefined)
    }
  }

  const done = run().finally(() => {
    tried.resolve()
    enter('disconnected')
  })
  return {
    get status() {
      return status
    },
    get live() {
      return live
    },
    wake: () => live?.sender.wake(),
    tried: tried.promise,
    async [Symbol.asyncDispose]() {
      ending.abort(new DOMException('The gateway stops.', 'AbortError'))
      await done
    },
  }
}

function isRefusal(error: unknown): error is PlatformError {
  return error instanceof PlatformError && ['unauthorised', 'conflict', 'refused'].includes(error.code)
}

function waitAfter(failures: number): number {
  const most = Math.min(maxWaitMs, firstWaitMs * 2 ** Math.max(0, failures - 1))
  return most / 2 + (Math.random() * most) / 2
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
