import assert from 'node:assert/strict'
import { chmod } from 'node:fs/promises'
import { test } from 'node:test'
import { openHome } from '@hermes/core/config/home.ts'
import { temporaryHome } from '@hermes/testing'
import type { InboundMessage } from '../messages/inbound-message.ts'
import { openGatewayDatabase } from './gateway-database.ts'
import { createInbox } from './inbox.ts'

/** Everything that a message can have. */
const whole: { readonly [Key in keyof Required<InboundMessage>]: Required<Required<InboundMessage>[Key]> } = {
  eventId: 'e',
  messageId: 'm',
  source: {
    platform: 'p',
    account: 'bot',
    chatId: '7',
    chatType: 'group',
    chatName: 'Us',
    chatTopic: 'All',
    threadId: 't',
    parentId: '-99',
    userId: '7',
    userName: 'Ann',
    userIdAlt: 'ann',
    listedAs: 'role:1',
  },
  text: 'look at this',
  attachments: [{ kind: 'voice', path: '/a', mimeType: 'audio/ogg', name: 'a', transcript: 'hm' }],
  replyToText: 'before',
  background: 'what was passed on',
  sentAt: 1,
  skills: ['s'],
  prepared: { isTyped: true, replaces: 3 },
  isInternal: true,
}

test('a message comes out of the inbox as it came in, also in another process', async () => {
  await using home = await temporaryHome()
  const opened = openHome(home.environment)
  const first = await openGatewayDatabase(opened)
  await createInbox(first, () => 5).add(whole, 'key')
  first.close()
  const second = await openGatewayDatabase(opened)
  const [entry] = await createInbox(second, () => 6).open()
  second.close()
  assert.deepEqual(entry?.message, whole)
})

test('in which message an answer was growing is known to the next process, until it grows in none', async () => {
  await using home = await temporaryHome()
  const opened = openHome(home.environment)
  for (const [draft, expected] of [
    ['our 1', 'our 1'],
    [undefined, undefined],
  ] as const) {
    const first = await openGatewayDatabase(opened)
    const inbox = createInbox(first, () => 5)
    await inbox.add(whole, 'key')
    await inbox.draft(1, draft)
    first.close()
    const second = await openGatewayDatabase(opened)
    const [entry] = await createInbox(second, () => 6).open()
    second.close()
    assert.equal(entry?.draft, expected)
  }
})

test(
  'a store that can only be read is told when the gateway starts, and can be looked at',
  { skip: process.getuid?.() === 0 && 'root may write anywhere' },
  async () => {
    await using home = await temporaryHome()
    const opened = openHome(home.environment)
    ;(await openGatewayDatabase(opened)).close()
    await chmod(home.path('gateway.db'), 0o400)
    await assert.rejects(
      openGatewayDatabase(opened, { isWritten: true }),
      /gateway\.db cannot be written; check its owner/,
    )
    const db = await openGatewayDatabase(opened)
    assert.deepEqual(await createInbox(db, () => 1).open(), [])
    db.close()
  },
)
