import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openDatabase } from './database.ts'

async function openTable(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'hermes-group-'))
  const path = join(folder, 'test.db')
  const db = await openDatabase(path)
  const other = await openDatabase(path)
  db.exec('CREATE TABLE t (a)')
  t.after(async () => {
    db.close()
    other.close()
    await rm(folder, { recursive: true, force: true })
  })
  const version = () => Number(other.prepare('PRAGMA data_version').get()?.['data_version'])
  const rows = () =>
    other
      .prepare('SELECT a FROM t ORDER BY rowid')
      .all()
      .map((row) => row['a'])
  const add = (value: number) => db.writeTogether(() => db.prepare('INSERT INTO t VALUES (?)').run(value))
  return { db, other, version, rows, add }
}

test('writes that are asked for together are one transaction, in their order', async (t) => {
  const { rows, version, add } = await openTable(t)
  const before = version()
  const first = add(1)
  await Promise.resolve()
  const others = [2, 3, 4].map(add)
  await first
  assert.equal(version(), before + 1)
  assert.deepEqual(rows(), [1, 2, 3, 4])
  await Promise.all(others)
  await add(5)
  assert.equal(version(), before + 2)
  assert.deepEqual(rows(), [1, 2, 3, 4, 5])
})

test('one that throws takes nothing of the others with it', async (t) => {
  const { db, rows, add } = await openTable(t)
  const broken = db.writeTogether(() => {
    db.prepare('INSERT INTO t VALUES (99)').run()
    throw new Error('no')
  })
  const outcomes = await Promise.allSettled([add(1), broken, add(2)])
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  )
  assert.deepEqual(rows(), [1, 2])
})

test('none overtakes one that waits for a lock, and settling waits for all', async (t) => {
  const { db, other, rows, add } = await openTable(t)
  other.exec('BEGIN IMMEDIATE')
  const first = add(1)
  await new Promise((resolve) => setTimeout(resolve, 20))
  const second = add(2)
  setTimeout(() => other.exec('COMMIT'), 20)
  await db.settled()
  assert.deepEqual(rows(), [1, 2])
  await Promise.all([first, second])
})
