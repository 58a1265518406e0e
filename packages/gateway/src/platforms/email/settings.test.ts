import assert from 'node:assert/strict'
import { test } from 'node:test'
import { configSchema } from '@hermes/core/config/schema.ts'
import { readSettings } from './settings.ts'

const account = {
  EMAIL_ADDRESS: 'Hermes@Home.Test',
  EMAIL_PASSWORD: 'secret',
  EMAIL_IMAP_HOST: 'imap.home.test',
  EMAIL_SMTP_HOST: 'smtp.home.test',
}

function read(environment: Readonly<Record<string, string>>, extra?: Readonly<Record<string, unknown>>) {
  const platforms = extra ? { email: { extra } } : {}
  return readSettings({ ...configSchema.parse({}), platforms } as never, environment)
}

test('four variables make an account; ports say how it is encrypted', () => {
  const setup = read(account)
  assert.ok(setup.state === 'ready')
  const { address, username, imap, smtp, senders, timing } = setup.settings
  assert.deepEqual([address, username, timing.pollMs], ['hermes@home.test', 'Hermes@Home.Test', 15_000])
  assert.deepEqual(imap, { host: 'imap.home.test', port: 993, security: 'tls' })
  assert.deepEqual(smtp, { host: 'smtp.home.test', port: 587, security: 'starttls' })
  assert.deepEqual(senders, { areChecked: true, trusted: ['home.test', 'imap.home.test'] })
  const other = read(
    { ...account, EMAIL_IMAP_PORT: '143', EMAIL_SMTP_PORT: '465' },
    { sender_check: 'off', poll_interval: 60 },
  )
  assert.ok(other.state === 'ready')
  assert.deepEqual([other.settings.imap.security, other.settings.smtp.security], ['starttls', 'tls'])
  assert.deepEqual([other.settings.senders.areChecked, other.settings.timing.pollMs], [false, 60_000])
  const named = read({ ...account, EMAIL_AUTHSERV_ID: 'MX.other.test, b.test' })
  assert.ok(named.state === 'ready')
  assert.deepEqual(named.settings.senders.trusted, ['mx.other.test', 'b.test'])
})

test('what is missing or wrong is told', () => {
  const reason = (setup: ReturnType<typeof read>) => (setup.state === 'incomplete' ? setup.reason : setup.state)
  assert.equal(read({}).state, 'absent')
  assert.equal(read({ EMAIL_ALLOWED_USERS: 'x' }).state, 'absent')
  assert.match(reason(read({ ...account, EMAIL_PASSWORD: '', EMAIL_SMTP_HOST: '' })), /EMAIL_PASSWORD, EMAIL_SMTP_HOST/)
  assert.match(reason(read({ ...account, EMAIL_ADDRESS: 'nobody' })), /no address/)
  assert.match(reason(read({ ...account, EMAIL_IMAP_PORT: 'many' })), /imap_port/)
  assert.match(reason(read({ ...account, EMAIL_SMTP_SECURITY: 'none' })), /unencrypted: smtp\.home\.test/)
  assert.equal(reason(read({ ...account, EMAIL_SMTP_HOST: '127.0.0.1', EMAIL_SMTP_SECURITY: 'none' })), 'ready')
})
