import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import type { Home } from '../config/home.ts'
import { SessionError } from './store.ts'
import { openTestStore, temporaryHome } from './test-home.ts'

/** The database that upstream v0.9.0 makes, statement for statement. */
const upstreamSchema = `
  CREATE TABLE schema_version (version INTEGER NOT NULL);
  CREATE TABLE sessions (
    id TEXT PRIMARY KEY, source TEXT NOT NULL, user_id TEXT, model TEXT, model_config TEXT, system_prompt TEXT,
    parent_session_id TEXT, started_at REAL NOT NULL, ended_at REAL, end_reason TEXT, message_count INTEGER DEFAULT 0,
    tool_call_count INTEGER DEFAULT 0, input_tokens INTEGER DEFAULT 0, output_tokens INTEGER DEFAULT 0,
    cache_read_tokens INTEGER DEFAULT 0, cache_write_tokens INTEGER DEFAULT 0, reasoning_tokens INTEGER DEFAULT 0,
    billing_provider TEXT, billing_base_url TEXT, billing_mode TEXT, estimated_cost_usd REAL, actual_cost_usd REAL,
    cost_status TEXT, cost_source TEXT, pricing_version TEXT, title TEXT,
    FOREIGN KEY (parent_session_id) REFERENCES sessions(id));
  CREATE TABLE messages (
    id INTEGER PRIMARY KEY AUTOINCREMENT, session_id TEXT NOT NULL REFERENCES sessions(id), role TEXT NOT NULL,
    content TEXT, tool_call_id TEXT, tool_calls TEXT, tool_name TEXT, timestamp REAL NOT NULL, token_count INTEGER,
    finish_reason TEXT, reasoning TEXT, reasoning_details TEXT, codex_reasoning_items TEXT);
  CREATE INDEX idx_sessions_source ON sessions(source);
  CREATE INDEX idx_sessions_parent ON sessions(parent_session_id);
  CREATE INDEX idx_sessions_started ON sessions(started_at DESC);
  CREATE INDEX idx_messages_session ON messages(session_id, timestamp);
  CREATE UNIQUE INDEX idx_sessions_title_unique ON sessions(title) WHERE title IS NOT NULL;
  CREATE VIRTUAL TABLE messages_fts USING fts5(content, content=messages, content_rowid=id);
  CREATE TRIGGER messages_fts_insert AFTER INSERT ON messages BEGIN
    INSERT INTO messages_fts(rowid, content) VALUES (new.id, new.content); END;
  CREATE TRIGGER messages_fts_delete AFTER DELETE ON messages BEGIN
    INSERT INTO messages_fts(messages_fts, rowid, content) VALUES('delete', old.id, old.content); END;
  CREATE TRIGGER messages_fts_update AFTER UPDATE ON messages BEGIN
    INSERT INTO messages_fts(messages_fts, rowid, content) VALUES('delete', old.id, old.content);
    INSERT INTO messages_fts(rowid, content) VALUES (new.id, new.content); END;
  INSERT INTO schema_version VALUES (6);
`

const rows = `
  INSERT INTO sessions (id, source, started_at) VALUES ('s', 'cli', 1772007000.5);
  INSERT INTO messages (session_id, role, content, timestamp) VALUES ('s', 'session_meta', NULL, 1772007001);
  INSERT INTO messages (session_id, role, content, timestamp) VALUES ('s', 'user', '数据库 hello', 1772007002.25);
`

async function databaseWith(home: Home, sql: string): Promise<void> {
  await mkdir(home.dir, { recursive: true })
  const db = new DatabaseSync(home.path('state.db'))
  db.exec(sql)
  db.close()
}

function shapeOf(home: Home): unknown {
  const db = new DatabaseSync(home.path('state.db'))
  const squeeze = (sql: unknown) =>
    String(sql)
      .replaceAll(/\s+/g, ' ')
      .replaceAll(/ ?([(),]) ?/g, '$1')
  const shape = db
    .prepare(`SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'messages\\_fts\\_%' ESCAPE '\\'
      OR type = 'trigger' ORDER BY type, name`)
    .all()
    .map(({ type, name, sql }) => [
      type,
      name,
      squeeze(sql).replaceAll('IF NOT EXISTS ', '').replaceAll('; END', ';END'),
    ])
  const version = db.prepare('SELECT version FROM schema_version').all()
  db.close()
  return { shape, versions: version.map((row) => row['version']) }
}

test('a new database is the one that upstream makes', async (t) => {
  const [ours, theirs] = [await temporaryHome(t), await temporaryHome(t)]
  await (await openTestStore(t, ours)).close()
  await databaseWith(theirs, upstreamSchema)
  assert.deepEqual(shapeOf(ours), shapeOf(theirs))
})

test("upstream's database opens, is continued, and is not changed in shape", async (t) => {
  const [home, untouched] = [await temporaryHome(t), await temporaryHome(t)]
  await databaseWith(home, upstreamSchema + rows)
  await databaseWith(untouched, upstreamSchema)
  const store = await openTestStore(t, home)
  assert.deepEqual(
    (await store.messages('s')).map(({ timestamp, message }) => [timestamp, message]),
    [[1772007002250, { role: 'user', content: '数据库 hello' }]],
  )
  await store.append('s', { role: 'assistant', content: 'more', toolCalls: [] })
  assert.equal((await store.search('据库')).length, 1)
  await store.close()
  assert.deepEqual(shapeOf(home), shapeOf(untouched))
})

/** What each older version lacked, newest first. */
const olderVersions: readonly (readonly [version: number, without: string])[] = [
  [
    5,
    `ALTER TABLE messages DROP COLUMN reasoning; ALTER TABLE messages DROP COLUMN reasoning_details;
     ALTER TABLE messages DROP COLUMN codex_reasoning_items;`,
  ],
  [
    4,
    [
      'cache_read_tokens',
      'cache_write_tokens',
      'reasoning_tokens',
      'billing_provider',
      'billing_base_url',
      'billing_mode',
      'estimated_cost_usd',
      'actual_cost_usd',
      'cost_status',
      'cost_source',
      'pricing_version',
    ]
      .map((column) => `ALTER TABLE sessions DROP COLUMN ${column};`)
      .join(''),
  ],
  [3, 'DROP INDEX idx_sessions_title_unique;'],
  [2, 'ALTER TABLE sessions DROP COLUMN title;'],
  [1, 'ALTER TABLE messages DROP COLUMN finish_reason;'],
]

for (const [version] of olderVersions) {
  test(`a database of version ${version} is brought to version 6 with everything in it`, async (t) => {
    const home = await temporaryHome(t)
    const losses = olderVersions.filter(([other]) => other >= version).map(([, sql]) => sql)
    await databaseWith(
      home,
      `${upstreamSchema}${rows}${losses.join('')} UPDATE schema_version SET version = ${version}`,
    )
    const store = await openTestStore(t, home)
    await store.append('s', { role: 'assistant', content: '', toolCalls: [], reasoning: 'r', finishReason: 'stop' })
    await store.rename('s', 'named')
    assert.equal((await store.messages('s')).length, 2)
    assert.equal((await store.search('hello')).length, 1)
    await store.close()
    const db = new DatabaseSync(home.path('state.db'))
    assert.equal(db.prepare('SELECT version FROM schema_version').get()?.['version'], 6)
    db.exec(`INSERT INTO messages_fts(messages_fts, rank) VALUES ('integrity-check', 1)`)
    db.close()
  })
}

test('two sessions of one title, as versions before 4 allowed, keep it for the newer one', async (t) => {
  const home = await temporaryHome(t)
  await databaseWith(
    home,
    `${upstreamSchema} DROP INDEX idx_sessions_title_unique; UPDATE schema_version SET version = 3;
     INSERT INTO sessions (id, source, started_at, title) VALUES ('a', 'cli', 1, 'same'), ('b', 'cli', 2, 'same')`,
  )
  const store = await openTestStore(t, home)
  assert.deepEqual([(await store.get('a'))?.title, (await store.get('b'))?.title], [undefined, 'same'])
})

test('a full-text index that is missing is made from the messages there are', async (t) => {
  const home = await temporaryHome(t)
  await databaseWith(
    home,
    `${upstreamSchema} ${rows} DROP TRIGGER messages_fts_insert; DROP TRIGGER messages_fts_delete;
     DROP TRIGGER messages_fts_update; DROP TABLE messages_fts;`,
  )
  await (await openTestStore(t, home)).close()
  const db = new DatabaseSync(home.path('state.db'))
  assert.equal(db.prepare(`SELECT count(*) AS n FROM messages_fts WHERE messages_fts MATCH 'hello'`).get()?.['n'], 1)
  db.close()
})

test('a newer version is used as it is, and its columns are kept by branches', async (t) => {
  const home = await temporaryHome(t)
  await databaseWith(
    home,
    `${upstreamSchema} ALTER TABLE messages ADD COLUMN mood TEXT; UPDATE schema_version SET version = 9; ${rows}
     UPDATE messages SET mood = 'good'`,
  )
  const store = await openTestStore(t, home)
  await store.append('s', { role: 'user', content: 'x' })
  const branch = await store.exportSession((await store.branch('s')).id)
  assert.deepEqual(
    branch?.messages.map((message) => message['mood']),
    ['good', null],
  )
  await store.close()
  const db = new DatabaseSync(home.path('state.db'))
  assert.equal(db.prepare('SELECT version FROM schema_version').get()?.['version'], 9)
  db.close()
})

test('a newer version that lacks what is needed is refused by name and left alone', async (t) => {
  const home = await temporaryHome(t)
  await databaseWith(
    home,
    `${upstreamSchema} ALTER TABLE messages RENAME COLUMN content TO body; UPDATE schema_version SET version = 12`,
  )
  await assert.rejects(
    openTestStore(t, home),
    (error) =>
      error instanceof SessionError && error.code === 'newer-schema' && error.message.includes('messages.content'),
  )
})
