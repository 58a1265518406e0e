import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PlatformError } from '../platforms/platform-error.ts'
import type { Connection } from '../platforms/platform.ts'
import { notingPenalties } from './noting-penalties.ts'

const chat = { platform: 'p', chatId: '1', chatType: 'dm' } as const

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
