import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, unlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { createLogCheckpoints } from './log-checkpoints.ts'
import { openDatabase } from './database.ts'

async function temporaryFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hermes-log-checkpoints-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

test('what was committed long ago is in the file itself, though the log is far from full', async (t) => {
  const path = join(await temporaryFolder(t), 'test.db')
  const db = await openDatabase(path)
  db.exec('CREATE TABLE t (a)')
  const add = async (text: string, times: number) => {
    for (let count = 0; count < times; count++) await db.write(() => db.prepare('INSERT INTO t VALUES (?)').run(text))
  }
  await add('early-words', 1)
  assert.ok(!(await readFile(path)).includes('early-words'))
  let added = 1
  for (let tries = 0; !(await readFile(path)).includes('early-words'); tries++) {
    assert.ok(tries < 2_000, 'it never came into the file')
    // Those that come while the disk is waited for count for the next time.
    const more = tries < 10 ? 100 : 1
    await add('later', more)
    added += more
    await wait(10)
  }
  assert.equal(db.prepare('SELECT count(*) AS n FROM t').get()?.['n'], added)
  db.close()
})

test('a database that is closed in the meantime is left alone', async (t) => {
  const path = join(await temporaryFolder(t), 'test.db')
  const db = await openDatabase(path)
  db.exec('CREATE TABLE t (a)')
  for (let round = 0; round < 3; round++) {
    // Of the last round nothing is waited for.
    if (round > 0) await wait(50)
    for (let count = 0; count < 100; count++) await db.write(() => db.prepare('INSERT INTO t VALUES (1)').run())
  }
  db.close()
  await wait(50)
  const again = await openDatabase(path)
  assert.equal(again.prepare('SELECT count(*) AS n FROM t').get()?.['n'], 300)
  again.close()
})

test('a log that is gone, or a checkpoint that fails, harms nothing, and it is tried again later', async (t) => {
  const path = join(await temporaryFolder(t), 'test.db')
  let failures = 0
  const committed = createLogCheckpoints(path, () => {
    failures++
    throw new Error('the disk is full')
  })
  const commit = async () => {
    for (let count = 0; count < 100; count++) committed()
    await wait(10)
  }
  for (let round = 0; round < 6; round++) await commit()
  assert.equal(failures, 0)
  const db = await openDatabase(path)
  db.exec('CREATE TABLE t (a)')
  const isTriedAgain = () => failures >= 2
  for (let rounds = 0; !isTriedAgain(); rounds++) {
    assert.ok(rounds < 2_000, 'it is not tried again')
    await commit()
  }
  db.close()
  await unlink(path)
})
