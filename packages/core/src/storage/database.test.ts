import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { DatabaseError, toDatabaseError } from './database-error.ts'
import { openDatabase } from './database.ts'

async function temporaryFile(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'hermes-database-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  return join(folder, 'home', 'test.db')
}

test('a new database and its log are private', async (t) => {
  const path = await temporaryFile(t)
  const db = await openDatabase(path)
  await db.write(() => db.exec('CREATE TABLE t (a)'))
  assert.equal((await stat(path)).mode & 0o777, 0o600)
  assert.equal((await stat(`${path}-wal`)).mode & 0o777, 0o600)
  assert.equal((await stat(join(path, '..'))).mode & 0o777, 0o700)
  db.close()
})

test('a write that fails changes nothing, and the next one works', async (t) => {
  const db = await openDatabase(await temporaryFile(t))
  db.exec('CREATE TABLE t (a)')
  await assert.rejects(
    db.write(() => {
      db.prepare('INSERT INTO t VALUES (1)').run()
      throw new Error('no')
    }),
    { message: 'no' },
  )
  await db.write(() => db.prepare('INSERT INTO t VALUES (2)').run())
  assert.deepEqual(
    db
      .prepare('SELECT a FROM t')
      .all()
      .map((row) => row['a']),
    [2],
  )
  db.close()
})

test('a write waits for another connection without blocking the process, and gives up in time', async (t) => {
  const path = await temporaryFile(t)
  const [one, two] = [await openDatabase(path), await openDatabase(path)]
  one.exec('CREATE TABLE t (a)')
  one.exec('BEGIN IMMEDIATE')
  await assert.rejects(
    two.write(() => two.exec('INSERT INTO t VALUES (1)'), { timeoutMs: 30 }),
    (error) => {
      return error instanceof DatabaseError && error.code === 'locked'
    },
  )
  const abort = new AbortController()
  const aborted = two.write(() => two.exec('INSERT INTO t VALUES (2)'), { signal: abort.signal })
  abort.abort(new Error('enough'))
  await assert.rejects(aborted, { message: 'enough' })
  const waiting = two.write(() => two.exec('INSERT INTO t VALUES (3)'))
  one.exec('COMMIT')
  await waiting
  assert.deepEqual({ ...one.prepare('SELECT count(*) AS n, sum(a) AS sum FROM t').get() }, { n: 1, sum: 3 })
  one.close()
  two.close()
})

test('many processes open and write one new database at once without an error', async (t) => {
  const path = await temporaryFile(t)
  const code = `
    import { openDatabase } from ${JSON.stringify(import.meta.resolve('./database.ts'))}
    const db = await openDatabase(${JSON.stringify(path)})
    await db.write(() => db.exec('CREATE TABLE IF NOT EXISTS t (a)'))
    for (let i = 0; i < 200; i += 1) await db.write(() => db.prepare('INSERT INTO t VALUES (?)').run(i))
    db.close()`
  const children = Array.from({ length: 6 }, () =>
    spawn(process.execPath, ['--input-type=module', '--eval', code], { stdio: ['ignore', 'ignore', 'inherit'] }),
  )
  const exits = await Promise.all(children.map((child) => once(child, 'exit')))
  assert.deepEqual(
    exits.map(([exitCode]) => exitCode),
    [0, 0, 0, 0, 0, 0],
  )
  const db = await openDatabase(path)
  assert.equal(db.prepare('SELECT count(*) AS n FROM t').get()?.['n'], 1200)
  db.close()
})

test('a file that is no database is refused by name and left as it is', async (t) => {
  const path = await temporaryFile(t)
  await openDatabase(path).then((db) => db.close())
  await writeFile(path, 'certainly not a database, but long enough to be looked at. '.repeat(40))
  await assert.rejects(
    openDatabase(path),
    (error) => error instanceof DatabaseError && error.code === 'corrupt' && error.message.includes(path),
  )
})

test('a full disk is told as such', async (t) => {
  const db = await openDatabase(await temporaryFile(t))
  db.exec('CREATE TABLE t (a); PRAGMA max_page_count = 4')
  await assert.rejects(
    db.write(() => db.prepare('INSERT INTO t VALUES (?)').run('x'.repeat(100_000))),
    (error) => error instanceof DatabaseError && error.code === 'disk-full',
  )
  await db.write(() => db.prepare('INSERT INTO t VALUES (1)').run())
  db.close()
})

test('a database that could only be read for a while can be written again', async (t) => {
  const path = await temporaryFile(t)
  const first = await openDatabase(path)
  first.exec('CREATE TABLE t (a)')
  // What a look at it while it was read-only leaves behind: SQLite gives the side files the mode of the database.
  await chmod(`${path}-shm`, 0o400)
  await chmod(`${path}-wal`, 0o400)
  const db = await openDatabase(path)
  for (const side of ['-wal', '-shm']) assert.equal((await stat(`${path}${side}`)).mode & 0o777, 0o600)
  await db.write(() => db.exec('INSERT INTO t VALUES (1)'))
  db.close()
  first.close()
})

test('a failed write on a full disk is told as that', () => {
  const failed = Object.assign(new Error('disk I/O error'), { errcode: 10 | (18 << 8) })
  const told = (room: number | undefined) => String(toDatabaseError(failed, '/home/x/state.db', () => room))
  assert.match(told(4096), /no room left to write \/home\/x\/state\.db; free some disk space/)
  for (const room of [1024 ** 3, undefined]) assert.match(told(room), /check the disk it is on/)
})
