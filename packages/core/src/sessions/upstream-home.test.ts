import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { DatabaseSync } from 'node:sqlite'
import { openTestStore, upstreamHome } from './test-home.ts'

const run = promisify(execFile)

test('a home of upstream lists, searches, resumes and continues', async (t) => {
  const home = await upstreamHome(t)
  if (!home) return
  const store = await openTestStore(t, home)
  const list = await store.list({ limit: 100 })
  assert.equal(list.length, 21)
  assert.equal((await store.list({ limit: 100, includeChildren: true })).length, 24)
  assert.equal(list[0]?.title, 'emoji 🚀 launch plan #23')
  assert.equal(list.at(-1)?.preview, 'deploy the staging cluster — stream server token agent serve...')
  const total = (await store.analytics()).messages
  assert.equal(total, 276)

  const sessionOf = async (query: string) => new Set((await store.search(query)).map((hit) => hit.sessionTitle))
  assert.deepEqual(await sessionOf('迁移脚本'), new Set(['重构数据库迁移脚本 #1', '重构数据库迁移脚本 #13']))
  assert.deepEqual(await sessionOf('備份計畫'), new Set(['資料庫備份計畫 #2', '資料庫備份計畫 #14']))
  assert.deepEqual(
    await sessionOf('移行'),
    new Set(['データベースの移行を手伝って #3', 'データベースの移行を手伝って #15']),
  )
  assert.deepEqual(await sessionOf('백업'), new Set(['데이터베이스 백업 #4', '데이터베이스 백업 #16']))
  assert.deepEqual(await sessionOf('ДОКЕР'), new Set(['почини докер образ #7', 'почини докер образ #19']))
  assert.ok((await sessionOf('a-b_c@example.com')).size > 0)

  const found = await store.resolve('20260225_091044')
  assert.ok(found)
  assert.equal(found.title, '重构数据库迁移脚本 #1')
  assert.equal((await store.resolve('重构数据库迁移脚本'))?.title, '重构数据库迁移脚本 #13')
  const messages = await store.messages(found.id)
  assert.equal(messages.length, 18)
  const calls = messages.flatMap(({ message }) => (message.role === 'assistant' ? message.toolCalls : []))
  const results = messages.flatMap(({ message }) => (message.role === 'tool' ? [message.toolCallId] : []))
  assert.deepEqual(
    calls.map((call) => call.id),
    results,
  )
  assert.ok(calls[0])
  assert.equal(calls[0].name, 'terminal')
  assert.deepEqual(JSON.parse(calls[0].arguments), { command: 'ls -la /tmp && echo "ok"' })

  await store.reopen(found.id)
  await store.append(found.id, { role: 'user', content: '继续 the migration' })
  assert.equal((await store.get(found.id))?.messageCount, 19)
  assert.equal((await store.latest())?.id, found.id)
  assert.equal((await store.search('继续'))[0]?.sessionId, found.id)
  const exported = await store.exportSession(found.id)
  assert.equal(exported?.messages.length, 19)
  assert.equal(exported?.['title'], found.title)
})

/** What upstream does to a database that it opens, append by append. */
const upstreamWrites = `
import sqlite3, sys, time
db = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=1.0)
db.execute('PRAGMA journal_mode=WAL')
db.execute('PRAGMA foreign_keys=ON')
assert db.execute('SELECT version FROM schema_version').fetchall() == [(6,)]
db.execute('CREATE UNIQUE INDEX IF NOT EXISTS idx_sessions_title_unique ON sessions(title) WHERE title IS NOT NULL')
db.execute('SELECT * FROM messages_fts LIMIT 0')
sid = '20260301_120000_abcdef'
db.execute('BEGIN IMMEDIATE')
db.execute('INSERT OR IGNORE INTO sessions (id, source, model, started_at) VALUES (?,?,?,?)', (sid, 'cli', 'm', time.time()))
db.execute('COMMIT')
for i in range(100):
    db.execute('BEGIN IMMEDIATE')
    db.execute('INSERT INTO messages (session_id, role, content, tool_calls, timestamp, finish_reason, reasoning) VALUES (?,?,?,?,?,?,?)',
        (sid, 'user', 'written by upstream 数据库 %d' % i, None, time.time(), None, None))
    db.execute('UPDATE sessions SET message_count = message_count + 1, tool_call_count = tool_call_count + ? WHERE id = ?', (0, sid))
    db.execute('COMMIT')
db.execute('BEGIN IMMEDIATE')
db.execute("UPDATE sessions SET title = 'by upstream' WHERE id = ?", (sid,))
db.execute('COMMIT')
print(db.execute("SELECT count(*) FROM messages_fts WHERE messages_fts MATCH 'hermes_wrote_this OR upstream'").fetchone()[0])
db.execute("INSERT INTO messages_fts(messages_fts, rank) VALUES ('integrity-check', 1)")
assert db.execute('PRAGMA integrity_check').fetchall() == [('ok',)]
assert db.execute('PRAGMA foreign_key_check').fetchall() == []
`

test("upstream's own statements work on the file while it is open here, and both see each other's messages", async (t) => {
  const home = await upstreamHome(t)
  if (!home) return
  try {
    await run('python3', ['-c', 'import sqlite3'])
  } catch {
    t.skip('no python3 with sqlite3 on this machine')
    return
  }
  const store = await openTestStore(t, home)
  const { id } = await store.create({ source: 'cli' })
  await store.append(id, { role: 'user', content: 'hermes_wrote_this' })
  assert.equal((await store.search('upstream')).length, 0)
  const { stdout } = await run('python3', ['-c', upstreamWrites, home.path('state.db')])
  assert.equal(stdout.trim(), '101')
  assert.equal((await store.search('written by upstream', { limit: 1000 })).length, 100)
  assert.equal((await store.search('据库 upstream', { limit: 1000 })).length, 100)
  assert.equal((await store.resolve('by upstream'))?.messageCount, 100)
  await store.branch(id)
  await store.remove(id)
  await store.close()
  const db = new DatabaseSync(home.path('state.db'))
  db.exec(`INSERT INTO messages_fts(messages_fts, rank) VALUES ('integrity-check', 1)`)
  assert.deepEqual(
    db
      .prepare('PRAGMA integrity_check')
      .all()
      .map((row) => row['integrity_check']),
    ['ok'],
  )
  db.close()
})
