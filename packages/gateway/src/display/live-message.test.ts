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

test('an edit that is sent again waits for its turn, and not beyond the end', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const budget = createRateBudget({ perSecond: 1, perChatSecond: 1 })
  const asked = Promise.withResolvers<void>()
  const said: string[] = []
  const connection: Connection = {
    account: 'bot',
    rates: { perSecond: 1, perChatSecond: 1 },
    closed: new Promise(() => {}),
    editing: {
      async edit(_message, text, _signal, how) {
        asked.resolve()
        await how?.again?.()
        said.push(text)
      },
    },
    send: async (to) => ({ chat: to, messageId: '1' }),
    [Symbol.asyncDispose]: async () => {},
  }
  const chat = { platform: 'p', chatId: '1', chatType: 'dm' } as const
  const message = createLiveMessage({
    live: {
      connection,
      budget: {
        ...budget,
        take: (to, urgency, signal) =>
          urgency === 'progress' ? Promise.resolve(true) : budget.take(to, urgency, signal),
      },
    },
    chat,
    intervalMs: 1,
    key: 'k',
    onSent: () => message.show('ab'),
    onFailure: (error) => assert.fail(String(error)),
  })
  // For longer than the test lasts.
  budget.penalty(3_600_000, chat)
  message.show('a')
  t.mock.timers.tick(1)
  for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve))
  t.mock.timers.tick(1)
  await asked.promise
  assert.equal((await message.end())?.text, 'a')
  assert.deepEqual(said, [])
})
