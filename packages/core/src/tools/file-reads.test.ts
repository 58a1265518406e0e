import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFileReads } from './file-reads.ts'
import type { FileVersion } from './file-reads.ts'

const version = (modifiedNs: bigint): FileVersion => ({ modifiedNs, size: 1n, inode: 1n })

test('a part is known until the file changes, is written, or its text may have left the context', () => {
  const reads = createFileReads()
  reads.remember('/a', '1:500', version(1n))
  assert.ok(reads.isKnown('/a', '1:500', version(1n)))
  assert.ok(!reads.isKnown('/a', '2:500', version(1n)))
  assert.ok(!reads.isKnown('/a', '1:500', version(2n)))
  reads.forgetParts()
  assert.ok(!reads.isKnown('/a', '1:500', version(1n)))
  reads.remember('/a', '1:500', version(1n))
  reads.wrote('/a', version(1n))
  assert.ok(!reads.isKnown('/a', '1:500', version(1n)))
})

test('a file is stale when others changed or removed it, not when it was never read', () => {
  const reads = createFileReads()
  assert.ok(!reads.isStale('/a', version(1n)))
  reads.remember('/a', '1:1', version(1n))
  assert.ok(!reads.isStale('/a', version(1n)))
  assert.ok(reads.isStale('/a', version(2n)) && reads.isStale('/a', undefined))
  reads.forgetParts()
  assert.ok(reads.isStale('/a', version(2n)), 'also after compaction')
  reads.wrote('/a', version(2n))
  assert.ok(!reads.isStale('/a', version(2n)))
  reads.wrote('/a', undefined)
  assert.ok(!reads.isStale('/a', version(3n)))
})

test('equal looks in a row are counted; anything else in between begins anew', () => {
  const reads = createFileReads()
  assert.deepEqual(
    ['x', 'x', 'x', 'y', 'x'].map((call) => reads.countLook(call)),
    [1, 2, 3, 1, 1],
  )
  reads.otherToolRan()
  assert.equal(reads.countLook('x'), 1)
  reads.wrote('/a', version(1n))
  assert.equal(reads.countLook('x'), 1)
})

test('it stays small: the files read longest ago are forgotten', () => {
  const reads = createFileReads({ maxFiles: 3, maxPartsPerFile: 2 })
  for (const path of ['/a', '/b', '/c']) reads.remember(path, 'p', version(1n))
  reads.remember('/a', 'q', version(1n))
  reads.remember('/d', 'p', version(1n))
  assert.ok(!reads.isKnown('/b', 'p', version(1n)))
  assert.ok(reads.isKnown('/a', 'p', version(1n)) && reads.isKnown('/a', 'q', version(1n)))
  reads.remember('/a', 'r', version(1n))
  assert.ok(!reads.isKnown('/a', 'p', version(1n)) && reads.isKnown('/a', 'r', version(1n)))
})
