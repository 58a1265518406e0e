import type { Database } from '../storage/database.ts'
import { SessionError } from './store.ts'

/** The version of upstream's schema that is written here. */
export const schemaVersion = 6

/** Columns in upstream's order; a database made by an older version has gained the later ones by `ADD COLUMN`. */
const sessionColumns = [
  'id TEXT PRIMARY KEY',
  'source TEXT NOT NULL',
  'user_id TEXT',
  'model TEXT',
  'model_config TEXT',
  'system_prompt TEXT',
  'parent_session_id TEXT',
  'started_at REAL NOT NULL',
  'ended_at REAL',
  'end_reason TEXT',
  'message_count INTEGER DEFAULT 0',
  'tool_call_count INTEGER DEFAULT 0',
  'input_tokens INTEGER DEFAULT 0',
  'output_tokens INTEGER DEFAULT 0',
  'cache_read_tokens INTEGER DEFAULT 0',
  'cache_write_tokens INTEGER DEFAULT 0',
  'reasoning_tokens INTEGER DEFAULT 0',
  'billing_provider TEXT',
  'billing_base_url TEXT',
  'billing_mode TEXT',
  'estimated_cost_usd REAL',
  'actual_cost_usd REAL',
  'cost_status TEXT',
  'cost_source TEXT',
  'pricing_version TEXT',
  'title TEXT',
]

const messageColumns = [
  'id INTEGER PRIMARY KEY AUTOINCREMENT',
  'session_id TEXT NOT NULL REFERENCES sessions(id)',
  'role TEXT NOT NULL',
  'content TEXT',
  'tool_call_id TEXT',
  'tool_calls TEXT',
  'tool_name TEXT',
  'timestamp REAL NOT NULL',
  'token_count INTEGER',
  'finish_reason TEXT',
  'reasoning TEXT',
  'reasoning_details TEXT',
  'codex_reasoning_items TEXT',
]

const tables = `
  CREATE TABLE IF NOT EXISTS schema_version (version INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS sessions (
    ${sessionColumns.join(',\n    ')},
    FOREIGN KEY (parent_session_id) REFERENCES sessions(id)
  );
  CREATE TABLE IF NOT EXISTS messages (
    ${messageColumns.join(',\n    ')}
  );
`

const indexes = `
  CREATE INDEX IF NOT EXISTS idx_sessions_source ON sessions(source);
  CREATE INDEX IF NOT EXISTS idx_sessions_parent ON sessions(parent_session_id);
  CREATE INDEX IF NOT EXISTS idx_sessions_started ON sessions(started_at DESC);
  CREATE INDEX IF NOT EXISTS idx_messages_session ON messages(session_id, timestamp);
`

/** Upstream's own full-text index: kept up by triggers, and searched by upstream alone. */
const fullText = `
  CREATE VIRTUAL TABLE messages_fts USING fts5(content, content=messages, content_rowid=id);
  CREATE TRIGGER IF NOT EXISTS messages_fts_insert AFTER INSERT ON messages BEGIN
    INSERT INTO messages_fts(rowid, content) VALUES (new.id, new.content);
  END;
  CREATE TRIGGER IF NOT EXISTS messages_fts_delete AFTER DELETE ON messages BEGIN
    INSERT INTO messages_fts(messages_fts, rowid, content) VALUES ('delete', old.id, old.content);
  END;
  CREATE TRIGGER IF NOT EXISTS messages_fts_update AFTER UPDATE ON messages BEGIN
    INSERT INTO messages_fts(messages_fts, rowid, content) VALUES ('delete', old.id, old.content);
    INSERT INTO messages_fts(rowid, content) VALUES (new.id, new.content);
  END;
  INSERT INTO messages_fts(messages_fts) VALUES ('rebuild');
`

/**
 * Brings `state.db` to upstream's schema, version 6: makes what is missing, adds the columns that came after the
 * version it is at. A newer version is taken as it is, so long as the columns used here are there.
 */
export async function prepareSchema(db: Database): Promise<void> {
  if (await db.read(() => isReady(db))) return
  await db.write(() => {
    db.exec(tables)
    const version = storedVersion(db)
    if (version === undefined) db.prepare('INSERT INTO schema_version (version) VALUES (?)').run(schemaVersion)
    if (version !== undefined && version > schemaVersion) return refuseIfIncomplete(db, version)
    addColumns(db, 'sessions', sessionColumns)
    addColumns(db, 'messages', messageColumns)
    createIndexes(db)
    db.prepare('UPDATE schema_version SET version = ?').run(schemaVersion)
  })
}

/** Makes the indexes that are missing, upstream's full-text index among them, from the rows there are. */
export function createIndexes(db: Database): void {
  db.exec(indexes)
  const names = objectNames(db)
  if (!names.has('idx_sessions_title_unique')) createTitleIndex(db)
  if (!names.has('messages_fts')) db.exec(fullText)
}

/** Whether nothing is left to do, told without writing: the usual case. */
function isReady(db: Database): boolean {
  const names = objectNames(db)
  if (!names.has('schema_version') || !names.has('messages')) return false
  const version = storedVersion(db)
  if (version === undefined || version < schemaVersion) return false
  if (version > schemaVersion) {
    refuseIfIncomplete(db, version)
    return true
  }
  return names.has('idx_sessions_title_unique') && names.has('messages_fts') && missing(db).length === 0
}

function storedVersion(db: Database): number | undefined {
  const version = db.prepare('SELECT version FROM schema_version LIMIT 1').get()?.['version']
  return typeof version === 'number' ? version : undefined
}

function objectNames(db: Database): Set<string> {
  return new Set(
    db
      .prepare('SELECT name FROM sqlite_schema')
      .all()
      .map((row) => String(row['name'])),
  )
}

function addColumns(db: Database, table: 'sessions' | 'messages', wanted: readonly string[]): void {
  const present = columnNames(db, table)
  for (const column of wanted) {
    if (!present.has(nameOf(column))) db.exec(`ALTER TABLE ${table} ADD COLUMN ${column}`)
  }
}

function createTitleIndex(db: Database): void {
  // Versions before 4 let two sessions have one title: the older ones give it up, or the index could not be made.
  db.exec(`
    UPDATE sessions SET title = NULL WHERE title IS NOT NULL AND EXISTS (
      SELECT 1 FROM sessions AS newer WHERE newer.title = sessions.title
        AND (newer.started_at, newer.id) > (sessions.started_at, sessions.id));
    CREATE UNIQUE INDEX idx_sessions_title_unique ON sessions(title) WHERE title IS NOT NULL`)
}

function refuseIfIncomplete(db: Database, version: number): void {
  const lacking = missing(db)
  if (lacking.length === 0) return
  throw new SessionError(
    'newer-schema',
    `${db.path} was written by a newer version (schema ${version}) that no longer has ${lacking.join(', ')}; ` +
      'update Hermes to open it',
  )
}

function missing(db: Database): string[] {
  const [sessions, messages] = [columnNames(db, 'sessions'), columnNames(db, 'messages')]
  return [
    ...sessionColumns.filter((column) => !sessions.has(nameOf(column))).map((column) => `sessions.${nameOf(column)}`),
    ...messageColumns.filter((column) => !messages.has(nameOf(column))).map((column) => `messages.${nameOf(column)}`),
  ]
}

/** The columns that a table has now, in order. */
export function columnNames(db: Database, table: 'sessions' | 'messages'): Set<string> {
  return new Set(
    db
      .prepare(`SELECT name FROM pragma_table_info('${table}') ORDER BY cid`)
      .all()
      .map((row) => String(row['name'])),
  )
}

function nameOf(column: string): string {
  return column.slice(0, column.indexOf(' '))
}
