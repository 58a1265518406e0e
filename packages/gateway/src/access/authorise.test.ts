import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MessageSource } from '../messages/inbound-message.ts'
import { isAuthorised } from './authorise.ts'

const source = { platform: 'telegram', account: 'bot', chatId: '1', chatType: 'group' } as const

function may(environment: Readonly<Record<string, string>>, given: Partial<MessageSource>, approved?: string) {
  const pairing = { isApproved: async (_platform: string, userId: string) => userId === approved }
  const variablePrefix = (given.platform ?? source.platform).toUpperCase()
  return isAuthorised({ ...source, ...given }, { environment, pairing, variablePrefix })
}

test('people are let in by their whole id alone, whatever they call themselves', async () => {
  const listed = { TELEGRAM_ALLOWED_USERS: ' 42 , 7' }
  assert.equal(await may(listed, { userId: '42' }), true)
  for (const userId of ['4', '421', '142', '42 ', ' 42', '４２', '', undefined]) {
    assert.equal(await may(listed, { ...(userId !== undefined && { userId }), userName: '42', chatName: '42' }), false)
  }
  const mail = { EMAIL_ALLOWED_USERS: 'Ann@Example.org' }
  const from = (userId: string) => may(mail, { platform: 'email', userId })
  assert.equal(await from('ann@example.org'), true)
  for (const other of ['ann@example.org.evil.net', 'ann@evil.net', 'xann@example.org', 'ann']) {
    assert.equal(await from(other), false)
  }
  assert.equal(await may({ EMAIL_ALLOWED_USERS: 'ann' }, { platform: 'email', userId: 'ann@evil.net' }), false)
})

test('a device is let in by the whole id that it gives itself', async () => {
  const device = (userId: string) => may({ MOBILE_ALLOWED_DEVICES: 'phone-1' }, { platform: 'mobile', userId })
  assert.equal(await device('phone-1'), true)
  assert.equal(await device('phone-1@x'), false)
})

test('nobody is let in by lists of another platform, by empty ones, or by "all" beside a list', async () => {
  assert.equal(await may({ DISCORD_ALLOWED_USERS: '42' }, { userId: '42' }), false)
  assert.equal(await may({ TELEGRAM_ALLOWED_USERS: ' , ' }, { userId: '42' }), false)
  assert.equal(await may({ TELEGRAM_ALLOWED_USERS: '7', GATEWAY_ALLOW_ALL_USERS: 'true' }, { userId: '42' }), false)
  assert.equal(await may({ GATEWAY_ALLOW_ALL_USERS: 'true' }, { userId: '42' }), true)
  assert.equal(await may({}, { userId: '42' }, '42'), true)
})

test('who is listed is let in also where the pairings cannot be read', async () => {
  const isApproved = () => Promise.reject(new Error('EACCES'))
  const rules = { environment: { TELEGRAM_ALLOWED_USERS: '42' }, pairing: { isApproved }, variablePrefix: 'TELEGRAM' }
  assert.equal(await isAuthorised({ ...source, userId: '42' }, rules), true)
  await assert.rejects(isAuthorised({ ...source, userId: '43' }, rules), /EACCES/)
})
