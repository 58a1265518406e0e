import assert from 'node:assert/strict'
import { chmod, cp, open, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import type { Home } from '../config/home.ts'
import type { LogFields, Logger } from '../log/logger.ts'
import { silentLogger } from '../log/logger.ts'
import { openSqliteSessionStore } from './sqlite.ts'
import { SessionError } from './store.ts'
import { manualClock, openTestStore, temporaryHome } from './test-home.ts'

/** A closed home with one session of 200 messages. */
async function filledHome(t: TestContext): Promise<Home> {
  const home = await temporaryHome(t)
  const store = await openTestStore(t, home)
  await store.create({ id: 's', source: 'cli' })
  for (let i = 0; i < 200; i += 1)
    await store.append('s', { role: 'user', content: `message ${i} ${'text '.repeat(40)}` })
  await store.close()
  return home
}

/** Overwrites the pages of some tables or indexes, below SQLite. */
async function damage(home: Home, like: string): Promise<void> {
  const db = new DatabaseSync(home.path('state.db'))
  const { page_size: size } = db.prepare('PRAGMA page_size').get() ?? {}
  const roots = db.prepare('SELECT rootpage FROM sqlite_schema WHERE name LIKE ? AND rootpage > 0').all(like)
  db.close()
  assert.ok(roots.length > 0)
  const file = await open(home.path('state.db'), 'r+')
  for (const { rootpage } of roots)
    await file.write(Buffer.alloc(200, 0xa5), 0, 200, (Number(rootpage) - 1) * Number(size))
  await file.close()
}

function recordingLogger(): Logger & { readonly lines: string[] } {
  const lines: string[] = []
  const record = (_: LogFields, message: string) => void lines.push(message)
  return { ...silentLogger, warn: record, error: record, lines }
}

function isError(code: SessionError['code']): (error: unknown) => boolean {
  return (error) => error instanceof SessionError && error.code === code
}

for (const [what, like] of [
  ["upstream's full-text index", 'messages_fts_data'],
  ['all of the full-text index', 'messages_fts%'],
  ['an index', 'idx_messages_session'],
  ['the index of session ids', 'sqlite_autoindex_sessions_1'],
] as const) {
  test(`${what} that is damaged is made anew, and nothing is lost or refused`, async (t) => {
    const home = await filledHome(t)
    await damage(home, like)
    const log = recordingLogger()
    const store = await openSqliteSessionStore({ home, clock: manualClock(), log })
    t.after(() => store.close())
    await Promise.all(['after the damage', 'beside it'].map((content) => store.append('s', { role: 'user', content })))
    assert.equal((await store.messages('s')).length, 202)
    assert.equal((await store.search('damage')).length, 1)
    await store.close()
    assert.ok(log.lines.some((line) => line.includes('made anew')))
    const db = new DatabaseSync(home.path('state.db'))
    assert.equal(db.prepare('PRAGMA integrity_check').get()?.['integrity_check'], 'ok')
    assert.equal(db.prepare(`SELECT count(*) AS n FROM messages_fts WHERE messages_fts MATCH 'damage'`).get()?.['n'], 1)
    db.close()
  })
}

test('messages that are damaged end the writing, say so, and leave the rest readable', async (t) => {
  const home = await filledHome(t)
  await damage(home, 'messages')
  const log = recordingLogger()
  const store = await openSqliteSessionStore({ home, clock: manualClock(), log })
  t.after(() => store.close())
  await assert.rejects(store.append('s', { role: 'user', content: 'x' }), isError('corrupt'))
  await assert.rejects(store.rename('s', 'title'), isError('corrupt'))
  assert.equal((await store.get('s'))?.messageCount, 200)
  assert.equal(log.lines.filter((line) => line.includes('only read')).length, 1)
})

test('a file that is no database is refused and left as it is', async (t) => {
  const home = await filledHome(t)
  const noise = 'this was a database once '.repeat(400)
  await writeFile(home.path('state.db'), noise)
  await assert.rejects(openTestStore(t, home), isError('corrupt'))
  assert.equal(await readFile(home.path('state.db'), 'utf8'), noise)
})

test('a backup that is put in place is used at once, and the search follows it', async (t) => {
  const home = await filledHome(t)
  await cp(home.path('state.db'), home.path('backup.db'))
  const store = await openTestStore(t, home)
  await store.create({ id: 'later', source: 'cli' })
  for (let i = 0; i < 100; i += 1) await store.append('later', { role: 'user', content: `later ${i}` })
  assert.equal((await store.search('later', { limit: 500 })).length, 100)
  await rename(home.path('backup.db'), home.path('state.db'))
  await rm(home.path('state.db-wal'))
  await rm(home.path('state.db-shm'))
  await waitUntil(async () => (await store.get('later')) === undefined)
  assert.equal((await store.search('later', { limit: 500 })).length, 0)
  assert.equal((await store.search('message', { limit: 500 })).length, 200)
  for (let i = 0; i < 100; i += 1) await store.append('s', { role: 'user', content: `again ${i}` })
  assert.equal((await store.search('again', { limit: 500 })).length, 100)
  assert.equal((await store.search('later', { limit: 500 })).length, 0)
  await store.close()
  const db = new DatabaseSync(home.path('state.db'))
  assert.equal(db.prepare('SELECT count(*) AS n FROM messages').get()?.['n'], 300)
  db.close()
})

test('files of the store are private', async (t) => {
  const home = await temporaryHome(t)
  const store = await openTestStore(t, home)
  const { id } = await store.create({ source: 'cli' })
  for (let i = 0; i < 100; i += 1) await store.append(id, { role: 'user', content: 'x' })
  await store.search('x')
  const { statSync } = await import('node:fs')
  const modes = ['.', 'state.db', 'state.db-wal', 'state.db-shm', 'hermes.db', 'hermes.db-wal'].map((name) => [
    name,
    (statSync(home.path(name)).mode & 0o777).toString(8),
  ])
  assert.deepEqual(Object.fromEntries(modes), {
    '.': '700',
    'state.db': '600',
    'state.db-wal': '600',
    'state.db-shm': '600',
    'hermes.db': '600',
    'hermes.db-wal': '600',
  })
})

test(
  'a home that cannot be written says so',
  { skip: process.getuid?.() === 0 && 'root may write anywhere' },
  async (t) => {
    const home = await filledHome(t)
    await chmod(home.path('state.db'), 0o400)
    await chmod(home.dir, 0o500)
    await assert.rejects(openTestStore(t, home), isError('unavailable'))
    await chmod(home.dir, 0o700)
  },
)

async function waitUntil(isSo: () => Promise<boolean>): Promise<void> {
  const until = performance.now() + 5000
  while (!(await isSo())) {
    assert.ok(performance.now() < until, 'it never came')
    await new Promise((resolve) => setImmediate(resolve))
  }
}
