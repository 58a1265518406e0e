import { openDatabase } from '@hermes/core/storage/database.ts'
import { DatabaseError } from '@hermes/core/storage/database-error.ts'
import type { Database } from '@hermes/core/storage/database.ts'
import type { Home } from '@hermes/core/config/home.ts'

/** Of another version the tables would be read wrongly. */
const schemaVersion = 5

/**
 * Opens `gateway.db`: what has come in and what is to go out. It is apart from `hermes.db`, which can be thrown away and
 * made anew, as this cannot. `isWritten`: throws where it can only be read, since every message would be refused.
 */
export async function openGatewayDatabase(
  home: Home,
  { isWritten = false }: { readonly isWritten?: boolean } = {},
): Promise<Database> {
  const db = await openDatabase(home.path('gateway.db'))
  try {
    await db.write(() => {
      const [row] = db.prepare('PRAGMA user_version').all()
      const version = Number(row?.['user_version'] ?? 0)
      if (version > schemaVersion) {
        throw new Error(`gateway.db was written by a newer Hermes (version ${version}). Update this one.`)
      }
      if (version < schemaVersion) {
        for (const step of steps.slice(version)) db.exec(step)
        db.exec(`PRAGMA user_version = ${schemaVersion}`)
      }
    })
    if (isWritten) await checkWritable(db)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

async function checkWritable(db: Database): Promise<void> {
  try {
    await db.write(() => db.exec(`PRAGMA user_version = ${schemaVersion}`))
  } catch (error) {
    // A full disk may have room later.
    if (error instanceof DatabaseError && error.code === 'read-only') throw error
  }
}

const tables = `
CREATE TABLE inbox (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  event_key TEXT NOT NULL UNIQUE,
  session_key TEXT NOT NULL,
  message TEXT,
  received_at REAL NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'running', 'answered', 'refused', 'failed')),
  -- Where its turn began, so that after a crash it is known how far it came.
  session_id TEXT,
  messages_before INTEGER,
  ended_at REAL
) STRICT;
CREATE INDEX inbox_open ON inbox (session_key, id) WHERE state IN ('waiting', 'running');
CREATE INDEX inbox_ended ON inbox (ended_at) WHERE ended_at IS NOT NULL;
CREATE TABLE outbox (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  key TEXT NOT NULL UNIQUE,
  platform TEXT NOT NULL,
  lane TEXT NOT NULL,
  chat TEXT NOT NULL,
  part TEXT,
  reply_to TEXT,
  edit_of TEXT,
  state TEXT NOT NULL CHECK (state IN ('waiting', 'sending', 'sent', 'dead')),
  attempts INTEGER NOT NULL DEFAULT 0,
  not_before REAL NOT NULL DEFAULT 0,
  created_at REAL NOT NULL,
  message_id TEXT,
  error TEXT,
  ended_at REAL
) STRICT;
CREATE INDEX outbox_open ON outbox (platform, lane, id) WHERE state IN ('waiting', 'sending');
CREATE INDEX outbox_ended ON outbox (ended_at) WHERE ended_at IS NOT NULL;
CREATE TABLE chat_sessions (
  session_key TEXT PRIMARY KEY,
  session_id TEXT NOT NULL,
  created_at REAL NOT NULL,
  updated_at REAL NOT NULL,
  source TEXT NOT NULL
) STRICT`

const perChat = `
CREATE TABLE chat_settings (
  session_key TEXT PRIMARY KEY,
  model TEXT
) STRICT;
-- Sessions that ended by themselves and were looked through for what should stay.
CREATE TABLE kept_sessions (
  session_id TEXT PRIMARY KEY,
  failures INTEGER NOT NULL
) STRICT`

const faces = `
ALTER TABLE outbox ADD COLUMN answers TEXT;
ALTER TABLE outbox ADD COLUMN is_notice INTEGER NOT NULL DEFAULT 0;
ALTER TABLE chat_settings ADD COLUMN reasoning TEXT`

const waits = `
-- How long until \`not_before\` it was when that was set, ms: a clock that is set back makes no wait longer.
ALTER TABLE outbox ADD COLUMN wait_ms REAL NOT NULL DEFAULT 0;
UPDATE outbox SET wait_ms = max(0, not_before - created_at) WHERE state IN ('waiting', 'sending');
-- The owner knows that it was given up.
ALTER TABLE outbox ADD COLUMN is_told INTEGER NOT NULL DEFAULT 0;
UPDATE outbox SET is_told = 1 WHERE state = 'dead';
CREATE INDEX outbox_untold ON outbox (id) WHERE state = 'dead' AND is_told = 0`

const drafts = `
-- Our message that the answer grows in, until it is whole.
ALTER TABLE inbox ADD COLUMN draft TEXT`

/** What each version added. */
const steps = [tables, perChat, faces, waits, drafts]
