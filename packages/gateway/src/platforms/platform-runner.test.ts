import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openHome } from '@hermes/core/config/home.ts'
import { silentLogger } from '@hermes/core/log/logger.ts'
import { temporaryHome } from '@hermes/testing'
import { openGatewayDatabase } from '../store/gateway-database.ts'
import { createOutbox } from '../store/outbox.ts'
import { PlatformError } from './platform-error.ts'
import { startPlatform } from './platform-runner.ts'
import type { Connection, Platform, PlatformHost } from './platform.ts'

test('a connection that ends because another process has the account is not tried again at once', async () => {
  await using home = await temporaryHome()
  const db = await openGatewayDatabase(openHome(home.environment))
  const lost = Promise.withResolvers<unknown>()
  let connects = 0
  const connection: Connection = {
    account: 'bot',
    rates: { perSecond: 10, perChatSecond: 10 },
    closed: lost.promise,
    send: async (chat) => ({ chat, messageId: '1' }),
    [Symbol.asyncDispose]: async () => {},
  }
  const platform: Platform<null> = {
    name: 'p',
    label: 'P',
    variablePrefix: 'P',
    promptHint: '',
    limits: { maxLength: 100 },
    read: () => ({ state: 'ready', settings: null }),
    async connect() {
      connects++
      return connection
    },
  }
  const states: string[] = []
  const runner = startPlatform({
    platform,
    settings: null,
    // It never speaks to the host.
    host: {} as PlatformHost,
    outbox: createOutbox(db, Date.now),
    log: silentLogger,
    now: Date.now,
    onStatus: ({ state, error, code }) => states.push([state, code, error].filter(Boolean).join(': ')),
  })
  await runner.tried
  lost.resolve(new PlatformError('conflict', 'Another process uses it.'))
  while (states.length < 3) await new Promise((resolve) => setImmediate(resolve))
  await runner[Symbol.asyncDispose]()
  db.close()
  assert.deepEqual(states, ['connecting', 'connected', 'fatal: conflict: Another process uses it.', 'disconnected'])
  assert.equal(connects, 1)
})
