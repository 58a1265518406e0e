import assert from 'node:assert/strict'
import { systemClock } from '@hermes/core/agent/clock.ts'
import { configSchema } from '@hermes/core/config/schema.ts'
import { silentLogger } from '@hermes/core/log/logger.ts'
import type { Home } from '@hermes/core/config/home.ts'
import type { InboundMessage, MessageSource } from '../../messages/inbound-message.ts'
import type { ChatRef } from '../../messages/outbound-message.ts'
import { PlatformError } from '../platform-error.ts'
import type { ButtonPress } from '../platform.ts'
import type { SlackHost } from './connect.ts'
import { slack as platform } from './index.ts'
import type { SlackTiming } from './settings.ts'

export const never = new AbortController().signal
export const chat: ChatRef = { platform: 'slack', chatId: 'D1', chatType: 'dm' }
export const options = { key: 'k' }
/** What of the adapter's circumstances is other than usual. */
export interface Given<Service> {
  readonly environment?: Readonly<Record<string, string>>
  readonly extra?: Readonly<Record<string, unknown>>
  readonly timing?: Partial<SlackTiming>
  readonly token?: string
  /** Threads that have a conversation. */
  readonly sessions?: readonly string[]
  readonly isAuthorised?: (source: MessageSource) => boolean
  /** Done to the service before it is connected to. */
  readonly prepare?: (service: Service) => void
}

/** What is needed of Slack's stand-in. */
interface Stand extends AsyncDisposable {
  readonly url: string
  readonly botToken: string
  readonly appToken: string
  readonly deliverer: { readonly pending: number }
  until(isSo: () => boolean): Promise<void>
}

export interface BedParts<Service extends Stand> {
  readonly startService: () => Promise<Service>
  readonly temporaryHome: () => Promise<
    Home & AsyncDisposable & { readonly environment: Readonly<Record<string, string>> }
  >
}

/** The adapter, connected to a stand-in of its own. */
export async function openBed<Service extends Stand>(given: Given<Service>, parts: BedParts<Service>) {
  const service = await parts.startService()
  given.prepare?.(service)
  const home = await parts.temporaryHome()
  const received: InboundMessage[] = []
  const presses: ButtonPress[] = []
  const variables = {
    ...home.environment,
    SLACK_BOT_TOKEN: given.token ?? service.botToken,
    SLACK_APP_TOKEN: service.appToken,
    ...given.environment,
  }
  const sessions = new Set(given.sessions)
  const host: SlackHost & { store: (message: InboundMessage) => Promise<void> } = {
    home,
    environment: variables,
    clock: systemClock(),
    log: silentLogger,
    courier: { find: async () => undefined, deliver: async () => {} },
    chats: {
      sessions: {
        // The adapter asks no more of it than whether it is there.
        inChat: async ({ threadId }) => (sessions.has(threadId ?? '') ? ({} as never) : undefined),
      },
    },
    access: { isAuthorised: async (source) => given.isAuthorised?.(source) ?? true },
    store: async () => {},
    async receive(message) {
      await host.store(message)
      received.push(message)
    },
    async press(press) {
      presses.push(press)
      return 'Decided.'
    },
  }
  const config = {
    ...configSchema.parse({}),
    platforms: { slack: { extra: { base_url: `${service.url}/api`, ...given.extra } } },
  }
  const setup = platform.read(config as never, variables)
  assert.equal(setup.state, 'ready', JSON.stringify(setup))
  const read = setup.state === 'ready' ? setup.settings : assert.fail()
  const settings = { ...read, timing: { ...read.timing, retryMs: 20, downloadRetryMs: 5, ...given.timing } }
  const connect = () => platform.connect(settings, host, never)
  const connection = await connect().catch(async (error: unknown) => {
    await service[Symbol.asyncDispose]()
    await home[Symbol.asyncDispose]()
    throw error
  })
  return {
    service,
    home,
    host,
    sessions,
    received,
    presses,
    connection,
    settings,
    connect,
    texts: () => received.map(({ text }) => text),
    come: (count: number) => service.until(() => received.length >= count),
    settle: () => service.until(() => service.deliverer.pending === 0),
    async [Symbol.asyncDispose]() {
      await connection[Symbol.asyncDispose]()
      await service[Symbol.asyncDispose]()
      await home[Symbol.asyncDispose]()
    },
  }
}

export async function codeOf(promise: Promise<unknown>): Promise<readonly unknown[]> {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof PlatformError, String(error))
  assert.ok(!/made-up-token/.test(error.message), error.message)
  return [error.code, error.retryAfterMs]
}
