import assert from 'node:assert/strict'
import { systemClock } from '@hermes/core/agent/clock.ts'
import { configSchema } from '@hermes/core/config/schema.ts'
import type { Home } from '@hermes/core/config/home.ts'
import type { Logger } from '@hermes/core/log/logger.ts'
import type { InboundMessage } from '../../messages/inbound-message.ts'
import type { OutboundPart } from '../../messages/outbound-message.ts'
import type { Connection } from '../platform.ts'
import type { FaceHost } from '../turn-face.ts'
import { email } from './index.ts'
import type { EmailSettings, EmailTiming } from './settings.ts'

/** The part of a mail server for tests that is used here. */
export interface TestMailServer {
  readonly ports: Readonly<Record<'imaps' | 'submission', number>>
  readonly caFile: string
  readonly password: string
  address(name: string): string
}

/** A home that a test has for itself. */
export interface TestHome extends Home, AsyncDisposable {
  readonly environment: Readonly<Record<string, string>>
}

export interface EmailBed {
  readonly server: TestMailServer
  readonly home: TestHome
  readonly environment?: Readonly<Record<string, string>>
  readonly extra?: Readonly<Record<string, unknown>>
  readonly timing?: Partial<EmailTiming>
  readonly settings?: Partial<EmailSettings>
  /** Whom the gateway lets in; everybody when absent. */
  readonly isAuthorised?: (address: string) => boolean
  /** Not yet connected. */
  readonly isClosed?: boolean
}

/** The variables of an account on a mail server. */
export function accountOf(server: TestMailServer, address: string): Readonly<Record<string, string>> {
  return {
    EMAIL_ADDRESS: address,
    EMAIL_PASSWORD: server.password,
    EMAIL_IMAP_HOST: '127.0.0.1',
    EMAIL_IMAP_PORT: String(server.ports.imaps),
    EMAIL_SMTP_HOST: '127.0.0.1',
    EMAIL_SMTP_PORT: String(server.ports.submission),
    EMAIL_CA_FILE: server.caFile,
  }
}

/** The adapter on a mail server, with an account of its own, for tests. Closes the home with itself. */
export async function openEmailBed({ server, home, ...given }: EmailBed) {
  const address = server.address('hermes')
  const received: InboundMessage[] = []
  const logged: string[] = []
  const watchers = new Set<() => void>()
  const note = (_fields: unknown, text: string) => {
    logged.push(`${text} ${JSON.stringify(_fields)}`)
    for (const check of watchers) check()
  }
  const variables = {
    ...home.environment,
    ...accountOf(server, address),
    HERMES_GATEWAY_LOCK_DIR: home.path('locks'),
    ...given.environment,
  }
  const log = { debug: note, info: note, warn: note, error: note } as unknown as Logger
  const host = {
    home,
    environment: variables,
    clock: systemClock(),
    log,
    access: {
      isAuthorised: async ({ userId = '' }: { readonly userId?: string }) => given.isAuthorised?.(userId) ?? true,
    },
    store: async () => {},
    async receive(message: InboundMessage) {
      await host.store()
      received.push(message)
      for (const check of watchers) check()
    },
  }
  const config = { ...configSchema.parse({}), platforms: { email: { extra: { ...given.extra } } } }
  const setup = email.read(config as never, variables)
  assert.ok(setup.state === 'ready', JSON.stringify(setup))
  const settings: EmailSettings = {
    ...setup.settings,
    ...given.settings,
    timing: { ...setup.settings.timing, retryMs: 20, ...given.timing },
  }
  const connections: Connection[] = []
  const connect = async () => {
    const connection = await email.connect(settings, host as unknown as FaceHost, new AbortController().signal)
    connections.push(connection)
    return connection
  }
  if (!given.isClosed) await connect()
  const until = (isSo: () => boolean, timeoutMs = 30_000) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const check = () => void (isSo() && resolve())
    const got = () => `received ${JSON.stringify(received.map(({ text }) => text))}, logged ${logged.join('\n')}`
    const timer = setTimeout(() => reject(new Error(`After ${timeoutMs} ms: ${got()}`)), timeoutMs)
    watchers.add(check)
    check()
    return promise.finally(() => {
      clearTimeout(timer)
      watchers.delete(check)
    })
  }
  return {
    address,
    home,
    host,
    settings,
    received,
    logged,
    connect,
    until,
    come: (count: number) => until(() => received.length >= count),
    texts: () => received.map(({ text }) => text),
    get connection() {
      return connections.at(-1) ?? assert.fail('not connected')
    },
    send: (
      to: string,
      part: OutboundPart | string,
      options: { readonly key?: string; readonly replyTo?: string } = {},
    ) =>
      (connections.at(-1) ?? assert.fail('not connected')).send(
        { platform: 'email', chatId: to, chatType: 'dm' },
        typeof part === 'string' ? { type: 'text', text: part } : part,
        { key: 'k', ...options },
        new AbortController().signal,
      ),
    /** As when the gateway stops. */
    async close() {
      await connections.pop()?.[Symbol.asyncDispose]()
    },
    async [Symbol.asyncDispose]() {
      for (const connection of connections) await connection[Symbol.asyncDispose]()
      await home[Symbol.asyncDispose]()
    },
  }
}
