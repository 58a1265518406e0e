import type { Home } from '@hermes/core/config/home.ts'
import { openDatabase } from '@hermes/core/storage/database.ts'
import type { Database } from '@hermes/core/storage/database.ts'

/** Of another version the tables would be read wrongly. */
const schemaVersion = 1

const tables = `
CREATE TABLE conversations (
  id TEXT PRIMARY KEY,
  -- Empty: the session's title stands for it.
  name TEXT NOT NULL,
  created_at REAL NOT NULL,
  last_active REAL,
  -- What is on its way to it must not bring it back.
  deleted_at REAL
) STRICT;
CREATE TABLE runs (
  run_id TEXT PRIMARY KEY,
  -- The event of the message that it answers.
  event_id TEXT NOT NULL,
  conversation_id TEXT NOT NULL,
  -- What the person wrote, while the run goes on.
  text TEXT,
  started_at REAL NOT NULL,
  ended_at REAL
) STRICT;
CREATE INDEX runs_open ON runs (conversation_id) WHERE ended_at IS NULL;
CREATE INDEX runs_ended ON runs (ended_at) WHERE ended_at IS NOT NULL;
-- What came without a message of the person, such as results of scheduled jobs: no session holds it.
CREATE TABLE deliveries (
  key TEXT PRIMARY KEY,
  conversation_id TEXT NOT NULL,
  message_id TEXT NOT NULL,
  text TEXT NOT NULL,
  at REAL NOT NULL
) STRICT;
CREATE INDEX deliveries_of ON deliveries (conversation_id, at);
CREATE TABLE attachments (
  id TEXT PRIMARY KEY,
  -- The same file of the same answer is added once.
  key TEXT NOT NULL UNIQUE,
  conversation_id TEXT NOT NULL,
  message_id TEXT,
  filename TEXT NOT NULL,
  mime_type TEXT NOT NULL,
  size INTEGER NOT NULL,
  kind TEXT NOT NULL,
  created_at REAL NOT NULL,
  expires_at REAL
) STRICT;
CREATE INDEX attachments_of ON attachments (conversation_id, created_at)`

/** Opens `pheby.db`: what clients see that neither sessions nor the gateway's store hold. */
export async function openPhebyDatabase(home: Home): Promise<Database> {
  const db = await openDatabase(home.path('pheby.db'))
  try {
    await db.write(() => {
      const [row] = db.prepare('PRAGMA user_version').all()
      const version = Number(row?.['user_version'] ?? 0)
      if (version > schemaVersion) {
        throw new Error(`pheby.db was written by a newer Hermes (version ${version}). Update this one.`)
      }
      if (version < schemaVersion) db.exec(`${tables}; PRAGMA user_version = ${schemaVersion}`)
    })
    return db
  } catch (error) {
    db.close()
    throw error
  }
}
