import assert from 'node:assert/strict'
import { test } from 'node:test'
import { silentLogger } from '@hermes/core/log/logger.ts'
import { createRateBudget } from '../deliver/rate-budget.ts'
import type { Connection } from '../platforms/platform.ts'
import { showTyping } from './typing.ts'

test('nobody is shown to write while the turn waits for an answer of the person', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let shown = 0
  const connection: Connection = {
    account: 'bot',
    rates: { perSecond: 1_000, perChatSecond: 1_000 },
    closed: new Promise(() => {}),
    typing: { lastsMs: 1_000, show: async () => void shown++ },
    send: async (chat) => ({ chat, messageId: '1' }),
    [Symbol.asyncDispose]: async () => {},
  }
  const budget = createRateBudget(connection.rates)
  const typing = showTyping({ connection, budget }, { platform: 'p', chatId: '1', chatType: 'dm' }, silentLogger)
  const after = async (ms: number) => {
    t.mock.timers.tick(ms)
    await new Promise((resolve) => setImmediate(resolve))
    return shown
  }
  assert.equal(await after(0), 1)
  assert.equal(await after(800), 2)
  typing.note({ type: 'decision-request' })
  assert.equal(await after(800), 2)
  typing.note({ type: 'decision-result' })
  assert.equal(await after(800), 3)
  typing.stop()
  assert.equal(await after(800), 3)
})
