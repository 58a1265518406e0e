import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openHome } from '@hermes/core/config/home.ts'
import { temporaryHome } from '@hermes/testing'
import type { InboundMessage } from '../messages/inbound-message.ts'
import { openGatewayDatabase } from './gateway-database.ts'
import { createInbox } from './inbox.ts'
import { createOutbox } from './outbox.ts'
import { outlookOf } from './outlook.ts'

const source = { platform: 'test', account: 'bot', chatId: '7', chatType: 'dm' } as const
const chat = { platform: 'test', chatId: '7', chatType: 'dm' } as const
const message: InboundMessage = { eventId: 'e', source, text: 'hi', attachments: [], sentAt: 0 }

test('of an event it is known whether its turn is still to be done, and how much of its answer is to go out', async () => {
  await using home = await temporaryHome()
  const db = await openGatewayDatabase(openHome(home.environment))
  const inbox = createInbox(db, () => 1)
  const outbox = createOutbox(db, () => 1)
  const look = (eventId = 'e') => outlookOf(db, { eventId, source })
  assert.deepEqual(await look(), { state: 'unknown', toSend: 0 })
  const entry = await inbox.add(message, 'key')
  assert.ok(entry)
  assert.deepEqual(await look(), { state: 'open', toSend: 0 })
  await inbox.begin(entry.id, 's', 0)
  assert.deepEqual(await look(), { state: 'open', toSend: 0 })
  const part = { type: 'text', text: 'hello' } as const
  await inbox.end([entry.id], 'answered', [
    { key: 'a', chat, part, answers: 'e' },
    { key: 'b', chat, part, answers: 'e' },
    { key: 'c', chat, part },
  ])
  assert.deepEqual(await look(), { state: 'answered', toSend: 2 })
  const [first] = (await outbox.next('test')).ready
  assert.ok(first)
  await outbox.sending(first.id, { isDoubtful: true })
  assert.deepEqual(await look(), { state: 'answered', toSend: 2 })
  await outbox.sent(first.id, 'm')
  assert.deepEqual(await look(), { state: 'answered', toSend: 1 })
  const [second] = (await outbox.next('test')).ready
  await outbox.dead(second?.id ?? 0, 'gone')
  assert.deepEqual(await look(), { state: 'answered', toSend: 0 })
  db.close()
})

test('what a command has made of a message is looked at with it', async () => {
  await using home = await temporaryHome()
  const db = await openGatewayDatabase(openHome(home.environment))
  const inbox = createInbox(db, () => 1)
  const entry = await inbox.add(message, 'key')
  const made = { ...message, eventId: 'e/ask' }
  const [next] = await inbox.end([entry?.id ?? 0], 'answered', [], [{ message: made, sessionKey: 'key' }])
  assert.equal((await outlookOf(db, { eventId: 'e', source })).state, 'open')
  await inbox.end([next?.id ?? 0], 'failed', [])
  assert.equal((await outlookOf(db, { eventId: 'e', source })).state, 'failed')
  db.close()
})
