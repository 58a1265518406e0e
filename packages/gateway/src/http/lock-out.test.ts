import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientAddress } from './client-address.ts'
import { createLockOut } from './lock-out.ts'

const minute = { windowMs: 60_000, lockedMs: 60_000 }

test('so many failures within the time lock an address out for a while from the last of them', () => {
  let at = 0
  const lockOut = createLockOut({ failures: 5, ...minute, now: () => at })
  const fail = (count: number) => {
    for (let n = 0; n < count; n++) lockOut.failed('a')
  }
  fail(4)
  at += 60_001
  fail(4)
  assert.equal(lockOut.isLocked('a'), false)
  fail(1)
  assert.deepEqual([lockOut.isLocked('a'), lockOut.isLocked('b')], [true, false])
  at += 59_999
  assert.equal(lockOut.isLocked('a'), true)
  at += 1
  assert.equal(lockOut.isLocked('a'), false)
})

test('a clock that is set back keeps nobody locked out', () => {
  let at = 10_000_000
  const lockOut = createLockOut({ failures: 3, ...minute, now: () => at })
  for (let n = 0; n < 5; n++) lockOut.failed('a')
  at -= 7_200_000
  assert.equal(lockOut.isLocked('a'), false)
  lockOut.failed('a')
  assert.equal(lockOut.isLocked('a'), false, 'failures of a time to come do not count')
})

test('a hundred thousand addresses cost no memory for ever', () => {
  const lockOut = createLockOut({ failures: 1, ...minute, now: () => 0 })
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
