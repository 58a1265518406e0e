import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MessageSource } from '../messages/inbound-message.ts'
import { sessionKey } from './session-key.ts'

const usual = { groupSessionsPerUser: true, threadSessionsPerUser: false }
const from = (more: Partial<MessageSource>): MessageSource => ({
  platform: 'telegram',
  account: 'bot',
  chatId: '42',
  chatType: 'dm',
  userId: '7',
  ...more,
})

test('conversations have the keys of the Python Hermes', () => {
  const cases: readonly (readonly [Partial<MessageSource>, string])[] = [
    [{}, 'agent:main:telegram:dm:42'],
    [{ threadId: '5' }, 'agent:main:telegram:dm:42:5'],
    [{ chatId: '', threadId: '5' }, 'agent:main:telegram:dm:5'],
    [{ chatId: '' }, 'agent:main:telegram:dm'],
    [{ chatType: 'group' }, 'agent:main:telegram:group:42:7'],
    [{ chatType: 'group', userIdAlt: 'uuid' }, 'agent:main:telegram:group:42:uuid'],
    [{ chatType: 'group', userId: undefined }, 'agent:main:telegram:group:42'],
    [{ chatType: 'group', threadId: '9' }, 'agent:main:telegram:group:42:9'],
    [{ chatType: 'channel', platform: 'discord' }, 'agent:main:discord:channel:42:7'],
  ]
  for (const [more, key] of cases) assert.equal(sessionKey(from(more), usual), key)
})

test('the settings say who shares a conversation', () => {
  const group = from({ chatType: 'group' })
  assert.equal(sessionKey(group, { ...usual, groupSessionsPerUser: false }), 'agent:main:telegram:group:42')
  const thread = from({ chatType: 'thread', threadId: '9' })
  assert.equal(sessionKey(thread, { ...usual, threadSessionsPerUser: true }), 'agent:main:telegram:thread:42:9:7')
})
