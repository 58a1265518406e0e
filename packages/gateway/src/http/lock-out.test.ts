import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientAddress } from './client-address.ts'
import { createLockOut } from './lock-out.ts'

test('so many failures within the time lock an address out until the first of them is that long ago', () => {
  let at = 0
  const lockOut = createLockOut({ failures: 3, windowMs: 60_000, now: () => at })
  for (const time of [0, 10_000, 20_000]) {
    at = time
    assert.equal(lockOut.isLocked('a'), false)
    lockOut.failed('a')
  }
  assert.equal(lockOut.isLocked('a'), true)
  assert.equal(lockOut.isLocked('b'), false)
  at = 59_999
  assert.equal(lockOut.isLocked('a'), true)
  at = 60_000
  assert.equal(lockOut.isLocked('a'), false)
  lockOut.failed('a')
  assert.equal(lockOut.isLocked('a'), true)
})

test('a clock that is set back keeps nobody locked out', () => {
  let at = 10_000_000
  const lockOut = createLockOut({ failures: 3, windowMs: 60_000, now: () => at })
  for (let n = 0; n < 5; n++) lockOut.failed('a')
  at -= 7_200_000
  assert.equal(lockOut.isLocked('a'), false)
  lockOut.failed('a')
  assert.equal(lockOut.isLocked('a'), false, 'failures of a time to come do not count')
})

test('a hundred thousand addresses cost no memory for ever', () => {
  const lockOut = createLockOut({ failures: 1, windowMs: 60_000, now: () => 0 })
  for (let n = 0; n < 100_000; n++) lockOut.failed(String(n))
  assert.equal(lockOut.isLocked('0'), false)
  assert.equal(lockOut.isLocked('99999'), true)
})

test('an address is that of the peer, or what a proxy on this machine has added', () => {
  const from = (remoteAddress: string, forwarded?: string) =>
    clientAddress({ socket: { remoteAddress } as never, headers: { 'x-forwarded-for': forwarded } })
  assert.equal(from('203.0.113.5'), '203.0.113.5')
  assert.equal(from('203.0.113.5', '198.51.100.1'), '203.0.113.5', 'a claim of somebody else')
  assert.equal(from('127.0.0.1'), '127.0.0.1')
  assert.equal(from('::ffff:127.0.0.1', '198.51.100.1, 203.0.113.7'), '203.0.113.7')
})
