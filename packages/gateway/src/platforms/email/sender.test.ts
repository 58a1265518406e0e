import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { normalAddress } from './address.ts'
import { readAuthenticationResults, senderVerdict } from './authentication-results.ts'
import { whyAutomated } from './automated.ts'
import { readFrom } from './from.ts'
import { createLoopGuard } from './loop-guard.ts'
import { trustedServers } from './trusted-servers.ts'

test('a sender is one address, in one form', () => {
  const senders: Readonly<Record<string, string | undefined>> = {
    'Ann@Example.TEST': 'ann@example.test',
    'Ann <ann@example.test>': 'ann@example.test',
    '"ann@example.test" <evil@evil.test>': 'evil@evil.test',
    '=?utf-8?q?ann=40example=2Etest?= <evil@evil.test>': 'evil@evil.test',
    'ann@example.test (Ann)': 'ann@example.test',
    'ann@example.test <ann@example.test>': 'ann@example.test',
    'Ann <ann@bücher.test>': 'ann@xn--bcher-kva.test',
    'ann@example.test <evil@evil.test>': undefined,
    '<ann@example.test> <evil@evil.test>': undefined,
    'ann@example.test, evil@evil.test': undefined,
    'Team: ann@example.test;': undefined,
    'ann@example.test@evil.test': undefined,
    '"ann example"@example.test': undefined,
    'ann@[127.0.0.1]': undefined,
    'ann\u200B@example.test': undefined,
    nobody: undefined,
    '': undefined,
  }
  for (const [value, address] of Object.entries(senders)) assert.equal(readFrom([value])?.address, address, value)
  assert.equal(readFrom(['a@a.test', 'b@b.test']), undefined)
  assert.equal(readFrom([]), undefined)
  assert.deepEqual(readFrom(['=?iso-8859-1?q?Andr=E9?= <a@a.test>']), { address: 'a@a.test', name: 'André' })
})

const word = fc.stringMatching(/^[a-z0-9]{1,10}$/)
const address = fc.tuple(word, word, word).map(([local, host, top]) => `${local}@${host}.${top}x`)

test('whatever name stands before it, the address is found; whatever is written, none is made up', () => {
  fc.assert(
    fc.property(address, fc.string({ maxLength: 30 }), (one, name) => {
      const quoted = name.replaceAll(/[\r\n]/g, ' ').replaceAll(/["\\]/g, String.raw`\$&`)
      assert.equal(readFrom([`"${quoted}" <${one}>`])?.address, normalAddress(one))
    }),
    { seed: 42 },
  )
  const piece = fc.oneof(
    fc.constantFrom('<', '>', '"', '(', ')', ',', ';', ':', '\\', ' ', '@', 'a@a.test', 'b@b.test'),
    word,
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const value = pieces.join('')
      const found = readFrom([value])
      assert.ok(found === undefined || value.toLowerCase().includes(found.address))
    }),
    { seed: 42, numRuns: 500 },
  )
})

test('the own mail server alone says who has written', () => {
  const trusted = ['mx.home.test']
  const verdict = (...headers: readonly string[]) => senderVerdict('ann@friend.test', headers, trusted)
  assert.equal(verdict('mx.home.test; dmarc=pass (p=none) header.from=friend.test'), 'confirmed')
  assert.equal(verdict('MX.home.test 1; dkim=pass header.d=mail.friend.test header.s=x'), 'confirmed')
  assert.equal(verdict('mx.home.test; dkim=pass header.i="@friend.test"'), 'confirmed')
  assert.equal(verdict('mx.home.test; spf=pass smtp.mailfrom=bounce@friend.test'), 'confirmed')
  assert.equal(verdict('in.mx.home.test; auth=pass smtp.auth=ann@friend.test'), 'confirmed')
  assert.equal(verdict('mx.home.test; dmarc=none; dkim=pass header.d=friend.test'), 'confirmed')
  assert.equal(verdict('mx.home.test; none'), 'denied')
  assert.equal(verdict('mx.home.test; dkim=pass header.d=evil.test; spf=pass smtp.mailfrom=evil.test'), 'denied')
  assert.equal(verdict('mx.home.test; dkim=pass header.d=test'), 'denied')
  assert.equal(verdict('mx.home.test; dmarc=fail header.from=friend.test; dkim=pass header.d=friend.test'), 'denied')
  assert.equal(verdict('mx.home.test; dmarc=pass header.from=evil.test'), 'denied')
  assert.equal(verdict('mx.home.test; auth=pass smtp.auth=bob@friend.test'), 'denied')
  assert.equal(verdict('mx.home.test; spf=fail (dkim=pass header.d=friend.test; dmarc=pass)'), 'denied')
  assert.equal(verdict('mx.home.test; spf=fail reason="; dmarc=pass header.from=friend.test"'), 'denied')
  assert.equal(verdict('evil.test; dmarc=pass header.from=friend.test'), 'unknown')
  assert.equal(verdict('mx.home.test.evil.test; dmarc=pass header.from=friend.test'), 'unknown')
  assert.equal(verdict(), 'unknown')
  // What stands below was there before it came to the own server.
  assert.equal(verdict('mx.home.test; dmarc=fail', 'mx.home.test; dmarc=pass header.from=friend.test'), 'denied')
  fc.assert(
    fc.property(fc.string({ maxLength: 100 }), (text) => {
      assert.equal(senderVerdict('ann@friend.test', [`other.test; ${text}`], trusted), 'unknown')
      readAuthenticationResults(text)
    }),
    { seed: 42 },
  )
})

test('the servers of large services and of the own domain are trusted', () => {
  assert.deepEqual(trustedServers('ann@gmail.com', 'imap.gmail.com'), ['mx.google.com'])
  assert.deepEqual(trustedServers('h@home.test', 'imap.mail.host.test'), [
    'home.test',
    'imap.mail.host.test',
    'mail.host.test',
  ])
  assert.deepEqual(trustedServers('h@home.test', '127.0.0.1'), ['home.test'])
  assert.deepEqual(trustedServers('h@home.test', 'a.host.test'), ['home.test', 'a.host.test'])
})

test('programs are known by their name or by what they say of themselves', () => {
  const reason = (from: string, headers: Readonly<Record<string, string>> = {}) =>
    whyAutomated(from, (name) => (headers[name] === undefined ? [] : [headers[name]]))
  for (const local of [
    'noreply',
    'no-reply',
    'team.no_reply',
    'donotreply',
    'mailer-daemon',
    'postmaster',
    'bounces+7',
    'notifications',
  ])
    assert.ok(reason(`${local}@a.test`), local)
  for (const local of ['ann', 'noreen', 'postmasterson', 'reply', 'debounce'])
    assert.equal(reason(`${local}@a.test`), undefined)
  assert.equal(reason('a@a.test', { 'auto-submitted': 'no' }), undefined)
  assert.equal(reason('a@a.test', { precedence: 'first-class', 'content-type': 'multipart/mixed' }), undefined)
  const headers: readonly Readonly<Record<string, string>>[] = [
    { 'auto-submitted': 'auto-replied; owner-email="x"' },
    { precedence: 'bulk' },
    { 'x-auto-response-suppress': 'All' },
    { 'list-unsubscribe': '<https://a.test>' },
    { 'list-id': '<l.a.test>' },
    { 'return-path': '<>' },
    { 'content-type': 'multipart/report; report-type=delivery-status' },
  ]
  for (const one of headers) assert.ok(reason('a@a.test', one), JSON.stringify(one))
})

test('two programs that do not say what they are stop writing to each other', () => {
  let now = 0
  const guard = createLoopGuard(() => now)
  const allowed = Array.from({ length: 100 }, () => guard.allows('a@a.test')).filter(Boolean).length
  assert.equal(allowed, 30)
  assert.ok(guard.allows('b@a.test'))
  now = 601_000
  assert.ok(guard.allows('a@a.test'))
})
