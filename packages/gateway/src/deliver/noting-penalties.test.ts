import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PlatformError } from '../platforms/platform-error.ts'
import type { Connection, EditOptions } from '../platforms/platform.ts'
import { notingPenalties } from './noting-penalties.ts'

const chat = { platform: 'p', chatId: '1', chatType: 'dm' } as const

test('what is sent again within one call waits for its turn like any other', async () => {
  const events: string[] = []
  const twice = async ({ again }: EditOptions = {}) => {
    await again?.()
    events.push('sent again')
  }
  const connection: Connection = {
    account: 'bot',
    rates: { perSecond: 1, perChatSecond: 1 },
    closed: new Promise(() => {}),
    async send(to, _part, how) {
      await twice(how)
      return { chat: to, messageId: '1' }
    },
    editing: { edit: (_message, _text, _signal, how) => twice(how) },
    buttons: {
      maxDataBytes: 64,
      close: (_message, _text, _signal, how) => twice(how),
      change: (_message, _text, _buttons, _signal, how) => twice(how),
    },
    [Symbol.asyncDispose]: async () => {},
  }
  const noting = notingPenalties(connection, {
    async take(_chat, urgency) {
      events.push(urgency)
      return true
    },
    over: () => void events.push('over'),
    penalty: () => {},
  })
  const { signal } = new AbortController()
  const message = { chat, messageId: 'm' }
  const calls = [
    () => noting.send(chat, { type: 'text', text: 'x' }, { key: 'k' }, signal),
    () => noting.editing?.edit(message, 'x', signal),
    () => noting.buttons?.close(message, 'x', signal),
    () => noting.buttons?.change?.(message, 'x', [], signal),
  ]
  for (const call of calls) {
    await call()
    assert.deepEqual(events.splice(0), ['over', 'final', 'sent again', 'over'])
  }
  await noting.editing?.edit(message, 'x', signal, { again: async () => events.push('own turn') })
  assert.deepEqual(events, ['over', 'own turn', 'sent again', 'over'])
})

test('whichever call is refused, its chat is left alone for as long as the service says', async () => {
  let error: Error = new PlatformError('rate-limited', 'too many', { retryAfterMs: 7_000 })
  const refuse = async (): Promise<never> => {
    throw error
  }
  const connection: Connection = {
    account: 'bot',
    rates: { perSecond: 1, perChatSecond: 1 },
    closed: new Promise(() => {}),
    send: refuse,
    editing: { edit: refuse, remove: refuse },
    typing: { show: refuse, lastsMs: 5 },
    reactions: { react: refuse },
    buttons: { maxDataBytes: 64, close: refuse, change: refuse },
    [Symbol.asyncDispose]: async () => {},
  }
  const penalties: unknown[] = []
  const noting = notingPenalties(connection, {
    take: async () => true,
    over: () => {},
    penalty: (...given) => void penalties.push(given),
  })
  const { signal } = new AbortController()
  const message = { chat, messageId: 'm' }
  const calls = [
    () => noting.send(chat, { type: 'text', text: 'x' }, { key: 'k' }, signal),
    () => noting.editing?.edit(message, 'x', signal),
    () => noting.editing?.remove?.(message, signal),
    () => noting.typing?.show(chat, signal),
    () => noting.reactions?.react(chat, 'm', 'done', signal),
    () => noting.buttons?.close(message, 'x', signal),
    () => noting.buttons?.change?.(message, 'x', [], signal),
  ]
  for (const call of calls) await assert.rejects(async () => call(), /too many/)
  assert.deepEqual(
    penalties,
    calls.map(() => [7_000, chat]),
  )
  error = new PlatformError('uncertain', 'hm')
  for (const call of calls) await assert.rejects(async () => call(), /hm/)
  assert.equal(penalties.length, calls.length)
  assert.deepEqual([noting.account, noting.typing?.lastsMs, noting.buttons?.maxDataBytes], ['bot', 5, 64])
})
