import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { byteRange } from './byte-range.ts'

test('parts of a file are what the header asks for', () => {
  assert.deepEqual(byteRange('bytes=0-0', 10), { start: 0, end: 0 })
  assert.deepEqual(byteRange('bytes=2-', 10), { start: 2, end: 9 })
  assert.deepEqual(byteRange('bytes=-3', 10), { start: 7, end: 9 })
  assert.deepEqual(byteRange('bytes=-99', 10), { start: 0, end: 9 })
  assert.deepEqual(byteRange('bytes=5-99', 10), { start: 5, end: 9 })
  for (const whole of [undefined, '', 'bytes=-', 'bytes=5-2', 'bytes=0-1,3-4', 'lines=0-1', 'bytes=a-b'])
    assert.equal(byteRange(whole, 10), undefined, whole)
  for (const none of ['bytes=10-', 'bytes=10-20', 'bytes=-0']) assert.equal(byteRange(none, 10), 'unsatisfiable', none)
  assert.equal(byteRange('bytes=0-', 0), 'unsatisfiable')
})

test('a part is always within the file', () => {
  fc.assert(
    fc.property(fc.nat(50), fc.option(fc.nat(60)), fc.option(fc.nat(60)), (size, first, last) => {
      const range = byteRange(`bytes=${first ?? ''}-${last ?? ''}`, size)
      if (range === undefined || range === 'unsatisfiable') return
      assert.ok(range.start >= 0 && range.start <= range.end && range.end < size)
    }),
  )
})
