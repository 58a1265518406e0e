import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRateBudget } from '../deliver/rate-budget.ts'
import type { Connection } from '../platforms/platform.ts'
import { createLiveMessage } from './live-message.ts'

test('a message is edited after its interval, and sooner where much has come', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const clock = t.mock.method(performance, 'now', () => now)
  let now = 1_000_000
  const said: string[] = []
  const connection: Connection = {
    account: 'bot',
    rates: { perSecond: 1_000, perChatSecond: 1_000 },
    closed: new Promise(() => {}),
    editing: { edit: async (_message, text) => void said.push(text) },
    async send(chat, part) {
      said.push(part.type === 'text' ? part.text : '')
      return { chat, messageId: '1' }
    },
    [Symbol.asyncDispose]: async () => {},
  }
  const message = createLiveMessage({
    live: { connection, budget: createRateBudget(connection.rates) },
    chat: { platform: 'p', chatId: '1', chatType: 'dm' },
    intervalMs: 5_000,
    worthwhile: 10,
    key: 'k',
    onFailure: (error) => assert.fail(String(error)),
  })
  const after = async (ms: number) => {
    now += ms
    t.mock.timers.tick(ms)
    for (let turns = 0; turns < 5; turns++) await new Promise((resolve) => setImmediate(resolve))
    return said.length
  }
  message.show('a')
  assert.equal(await after(0), 1)
  message.show('ab')
  assert.equal(await after(4_000), 1)
  assert.equal(await after(1_000), 2)
  message.show('ab and much more')
  assert.equal(await after(900), 2)
  assert.equal(await after(100), 3)
  assert.ok(clock.mock.callCount() > 0)
  assert.equal((await message.end())?.text, 'ab and much more')
})
