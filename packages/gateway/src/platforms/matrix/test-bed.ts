import assert from 'node:assert/strict'
import { systemClock } from '@hermes/core/agent/clock.ts'
import { configSchema } from '@hermes/core/config/schema.ts'
import { silentLogger } from '@hermes/core/log/logger.ts'
import { temporaryHome } from '@hermes/testing'
import type { Synapse, SynapseUser } from '@hermes/testing/synapse/server.ts'
import type { InboundMessage } from '../../messages/inbound-message.ts'
import type { ChatRef } from '../../messages/outbound-message.ts'
import type { ButtonPress, Connection } from '../platform.ts'
import { matrix } from './index.ts'
import type { MatrixHost } from './take-event.ts'

export const never = new AbortController().signal

export interface BedOptions {
  readonly synapse: Synapse
  readonly bot: SynapseUser
  readonly environment?: Readonly<Record<string, string>>
  readonly matrix?: Readonly<Record<string, unknown>>
}

/** The adapter, connected to a server, with what the gateway would do with its messages. */
export async function openBed({ synapse, bot, environment = {}, matrix: section = {} }: BedOptions) {
  const home = await temporaryHome()
  const variables: Record<string, string> = {
    ...home.environment,
    MATRIX_HOMESERVER: synapse.url,
    MATRIX_ACCESS_TOKEN: bot.accessToken,
    MATRIX_ENCRYPTION: 'true',
    HERMES_GATEWAY_LOCK_DIR: home.path('locks'),
    ...environment,
  }
  const received: InboundMessage[] = []
  const presses: ButtonPress[] = []
  const watchers = new Set<() => void>()
  const host: MatrixHost & { store: (message: InboundMessage) => Promise<void> } = {
    home,
    environment: variables,
    clock: systemClock(),
    log: silentLogger,
    courier: { find: async () => undefined, deliver: async () => {} },
    access: { isAuthorised: async () => true },
    store: async () => {},
    async receive(message) {
      await host.store(message)
      received.push(message)
      for (const watcher of watchers) watcher()
    },
    async press(press) {
      presses.push(press)
      for (const watcher of watchers) watcher()
      return 'Decided.'
    },
  }
  const config = configSchema.parse({ matrix: section })
  const connect = (signal: AbortSignal = never) => {
    const setup = matrix.read(config, variables)
    if (setup.state !== 'ready') assert.fail(JSON.stringify(setup))
    return matrix.connect({ ...setup.settings, retryMs: 50 }, host, signal)
  }
  let connection: Connection = await connect()

  function until(isSo: () => boolean, timeoutMs = 30_000): Promise<void> {
    return new Promise((resolve, reject) => {
      const check = () => {
        if (!isSo()) return
        clearTimeout(timer)
        watchers.delete(check)
        resolve()
      }
      const timer = setTimeout(() => {
        watchers.delete(check)
        reject(new Error(`it did not come: ${JSON.stringify(received.map(({ text }) => text))}`))
      }, timeoutMs)
      watchers.add(check)
      check()
    })
  }
  return {
    home,
    host,
    received,
    presses,
    connect,
    get connection() {
      return connection
    },
    texts: () => received.map(({ text }) => text),
    until,
    come: (count: number) => until(() => received.length >= count),
    say: (to: ChatRef, text: string, key: string = crypto.randomUUID(), replyTo?: string) =>
      connection.send(to, { type: 'text', text }, { key, ...(replyTo !== undefined && { replyTo }) }, never),
    /** Closes the connection and opens it anew, as a new process would. */
    async reconnect() {
      await connection[Symbol.asyncDispose]()
      connection = await connect()
    },
    async [Symbol.asyncDispose]() {
      await connection[Symbol.asyncDispose]()
      await home[Symbol.asyncDispose]()
    },
  }
}

/** The place of a message. */
export function placeOf({ source }: InboundMessage): ChatRef {
  const { chatId, chatType, threadId } = source
  return { platform: 'matrix', chatId, chatType, ...(threadId !== undefined && { threadId }) }
}
