import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOriginCheck, readOrigins } from './page-origins.ts'

function open(allowed: readonly string[] = []) {
  const warnings: object[] = []
  const log = { warn: (fields: object) => void warnings.push(fields) }
  const check = createOriginCheck({ allowed, variable: 'X_ALLOWED_ORIGINS', log })
  const from = (headers: Readonly<Record<string, string>>, remoteAddress = '127.0.0.1') =>
    check({ headers, socket: { remoteAddress } as never })
  return { from, warnings }
}

test('programs and our own page are let in, pages of other sites are not', () => {
  const { from, warnings } = open()
  const host = 'phone.example.org'
  assert.equal(from({ host }), true)
  for (const origin of ['https://phone.example.org', 'http://phone.example.org', 'https://PHONE.example.org']) {
    assert.equal(from({ host, origin }), true, origin)
  }
  assert.equal(from({ host: '192.168.1.5:8787', origin: 'http://192.168.1.5:8787' }), true)
  assert.equal(from({ host: '[::1]:8787', origin: 'http://[::1]:8787' }), true)
  assert.equal(from({ host: 'phone.example.org:443', origin: 'https://phone.example.org' }), true)
  const others = [
    'null',
    '',
    'file://',
    'https://evil.example',
    'https://phone.example.org.evil.example',
    'https://phone.example.org:8443',
    'chrome-extension://phone.example.org',
    'https://user@evil.example',
  ]
  for (const origin of others) assert.equal(from({ host, origin }), false, origin)
  assert.equal(from({ host: 'localhost:8787', origin: 'http://localhost:3000' }), false)
  assert.equal(warnings.length, 9)
  for (let n = 0; n < 1_000; n++) assert.equal(from({ host, origin: `https://${n}.example` }), false)
  assert.equal(warnings.length, 20)
})

test('behind a proxy on this machine the name counts by which it was reached; of others that is a claim', () => {
  const { from } = open()
  const headers = {
    host: '127.0.0.1:8787',
    'x-forwarded-host': 'phone.example.org',
    origin: 'https://phone.example.org',
  }
  assert.equal(from(headers), true)
  assert.equal(from(headers, '203.0.113.5'), false)
})

test('more pages are let in by a setting, and those of the address by which phones come', () => {
  const { from } = open(readOrigins(' https://App.example.org/, capacitor://localhost,', 'https://phone.example.org/x'))
  const allowed = ['https://app.example.org', 'capacitor://localhost', 'https://phone.example.org']
  for (const origin of allowed) assert.equal(from({ host: 'a', origin }), true, origin)
  assert.equal(from({ host: 'a', origin: 'https://b.example.org' }), false)
  assert.equal(open(readOrigins(['*'])).from({ host: 'a', origin: 'null' }), true)
  assert.deepEqual([readOrigins(undefined), readOrigins(7, 'nonsense'), readOrigins('', 'app:x')], [[], [], []])
})
