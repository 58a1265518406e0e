import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFileReads, isSameVersion } from './file-reads.ts'
import type { FileVersion } from './file-reads.ts'

const version = (modifiedNs: bigint): FileVersion => ({ modifiedNs, changedNs: modifiedNs, size: 1n, inode: 1n })
const seen = (modifiedNs: bigint) => ({ version: version(modifiedNs), digest: undefined })
const named = (path: string) => ({ asked: path, path })

test('a part is known until the file changes, is written, or its text may have left the context', () => {
  const reads = createFileReads()
  reads.remember(named('/a'), '1:500', seen(1n))
  assert.ok(reads.isKnown('/a', '1:500', version(1n)))
  assert.ok(!reads.isKnown('/a', '2:500', version(1n)))
  assert.ok(!reads.isKnown('/a', '1:500', version(2n)))
  reads.forgetParts()
  assert.ok(!reads.isKnown('/a', '1:500', version(1n)))
  reads.remember(named('/a'), '1:500', seen(1n))
  reads.wrote(named('/a'), seen(1n))
  assert.ok(!reads.isKnown('/a', '1:500', version(1n)))
})

test('a file is known as it was last read or written, by the name that was used, also after compaction', () => {
  const reads = createFileReads()
  assert.equal(reads.lastSeen('/a'), undefined)
  reads.remember({ asked: '/link', path: '/a' }, '1:1', seen(1n))
  assert.deepEqual(reads.lastSeen('/a'), seen(1n))
  assert.equal(reads.lastPath('/link'), '/a')
  reads.forgetParts()
  assert.deepEqual(reads.lastSeen('/a'), seen(1n))
  reads.wrote(named('/a'), seen(2n))
  assert.deepEqual(reads.lastSeen('/a'), seen(2n))
  reads.wrote(named('/a'), undefined)
  assert.equal(reads.lastSeen('/a'), undefined)
})

test('a version is another one when anything about the file is, its time of change too', () => {
  const one = { modifiedNs: 1n, changedNs: 1n, size: 1n, inode: 1n }
  assert.ok(isSameVersion(one, { ...one }))
  for (const key of ['modifiedNs', 'changedNs', 'size', 'inode'] as const) {
    assert.ok(!isSameVersion(one, { ...one, [key]: 2n }), key)
  }
})

test('equal looks in a row are counted; anything else in between begins anew', () => {
  const reads = createFileReads()
  assert.deepEqual(
    ['x', 'x', 'x', 'y', 'x'].map((call) => reads.countLook(call)),
    [1, 2, 3, 1, 1],
  )
  reads.otherToolRan()
  assert.equal(reads.countLook('x'), 1)
  reads.wrote(named('/a'), seen(1n))
  assert.equal(reads.countLook('x'), 1)
})

test('it stays small: the files read longest ago are forgotten', () => {
  const reads = createFileReads({ maxFiles: 3, maxPartsPerFile: 2 })
  for (const path of ['/a', '/b', '/c']) reads.remember(named(path), 'p', seen(1n))
  reads.remember(named('/a'), 'q', seen(1n))
  reads.remember(named('/d'), 'p', seen(1n))
  assert.ok(!reads.isKnown('/b', 'p', version(1n)))
  assert.ok(reads.isKnown('/a', 'p', version(1n)) && reads.isKnown('/a', 'q', version(1n)))
  reads.remember(named('/a'), 'r', seen(1n))
  assert.ok(!reads.isKnown('/a', 'p', version(1n)) && reads.isKnown('/a', 'r', version(1n)))
})
