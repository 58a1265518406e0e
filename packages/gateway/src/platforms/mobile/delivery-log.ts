import { openDatabase } from '@hermes/core/storage/database.ts'
import type { Database } from '@hermes/core/storage/database.ts'
import type { Home } from '@hermes/core/config/home.ts'
import { REDELIVERY_MAX_AGE_MS, REDELIVERY_MAX_ITEMS } from '@hermes/protocol/mobile/constants.ts'
import type { MobileFrameOf, MobileServerFrame } from '@hermes/protocol/mobile/types.ts'

type FrameOf<T extends MobileServerFrame['t']> = MobileFrameOf<MobileServerFrame, T>

/** A file that waits for a device: what its frames say, without the parts. */
export interface MediaItem extends Omit<FrameOf<'media'>, 'data' | 'part' | 'parts' | 'final'> {
  /** Our copy of it. */
  readonly path: string
}

/**
 * What is kept for a device until it has it. `more` is a `message` frame with the id of one that came before: a later piece,
 * or an edit.
 */
export type ItemContent =
  | { readonly kind: 'message' | 'more'; readonly frame: FrameOf<'message'> }
  | { readonly kind: 'media'; readonly frame: MediaItem }
  | { readonly kind: 'prompt'; readonly frame: FrameOf<'prompt'> }
  | { readonly kind: 'prompt_done'; readonly frame: FrameOf<'prompt_done'> }

export type DeliveryItem = ItemContent & {
  readonly seq: number
  /** Ms since 1970. */
  readonly createdAt: number
  /** Nothing waited behind it. */
  readonly isLast: boolean
}

/**
 * What was said to each device, in order, on disk until it is acknowledged. Each connection reads it from its own place.
 * Throws `DatabaseError`.
 */
export interface DeliveryLog {
  /** Adds what belongs together, unless its key is known. Resolves to the id of the first one, now or then. */
  append(device: string, items: readonly ItemContent[], names?: { key?: string; event?: string }): Promise<string>
  /** The first one behind a place that is not acknowledged. */
  next(device: string, after: number): Promise<DeliveryItem | undefined>
  /** The message that an event's answer has begun in, where it is not ended. */
  draft(device: string, event: string): Promise<string | undefined>
  has(device: string, id: string): Promise<boolean>
  /**
   * The device has shown it. `confirmed`: up to where its connection is known to have got all. Resolves to copies of files
   * that nothing waits for any more.
   */
  acknowledge(device: string, id: string, confirmed: number): Promise<readonly string[]>
  /** A connection has got all up to a place: what is not acknowledged by itself is done with that. */
  confirm(device: string, upTo: number): Promise<void>
  /** A card was sent. */
  shown(seq: number): Promise<void>
  /** A card is over; who has seen it is told. */
  closePrompt(device: string, done: FrameOf<'prompt_done'>): Promise<void>
  /** Cards of a process that died are over. */
  expirePrompts(): Promise<void>
  /** Gives up what is too old or too much. */
  tidy(): Promise<void>
  /** Copies of files that something still waits for. */
  files(): Promise<ReadonlySet<string>>
  close(): void
}

/** Files that wait for one device, bytes; older ones give way. */
const maxMediaBytes = 512 * 1024 * 1024

const schemaVersion = 1

const tables = `
CREATE TABLE items (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  device TEXT NOT NULL,
  id TEXT NOT NULL,
  key TEXT UNIQUE,
  -- The event whose answer grows in it.
  event TEXT,
  kind TEXT NOT NULL CHECK (kind IN ('message', 'more', 'media', 'prompt', 'prompt_done')),
  frame TEXT,
  bytes INTEGER NOT NULL DEFAULT 0,
  is_shown INTEGER NOT NULL DEFAULT 0,
  created_at REAL NOT NULL,
  ended_at REAL
) STRICT;
CREATE INDEX items_open ON items (device, seq) WHERE ended_at IS NULL;
CREATE INDEX items_id ON items (device, id);
CREATE INDEX items_created ON items (created_at)`

/** Opens `mobile.db`. `now`: ms since 1970. */
export async function openDeliveryLog(home: Home, now: () => number): Promise<DeliveryLog> {
  const db = await openDatabase(home.path('mobile.db'))
  try {
    await db.write(() => prepareTables(db))
  } catch (error) {
    db.close()
    throw error
  }
  return createDeliveryLog(db, now)
}

function prepareTables(db: Database): void {
  const version = Number(db.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0)
  if (version > schemaVersion)
    throw new Error(`mobile.db was written by a newer Hermes (version ${version}). Update this one.`)
  if (version < schemaVersion) db.exec(`${tables}; PRAGMA user_version = ${schemaVersion}`)
}

function createDeliveryLog(db: Database, now: () => number): DeliveryLog {
  const insert = (device: string, { kind, frame }: ItemContent, { key, event }: { key?: string; event?: string }) => {
    db.prepare(
      `INSERT INTO items (device, id, key, event, kind, frame, bytes, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    ).run(
      device,
      frame.id,
      key ?? null,
      event ?? null,
      kind,
      JSON.stringify(frame),
      kind === 'media' ? frame.size : 0,
      now(),
    )
  }
  const end = (where: string, ...values: (string | number)[]) => {
    db.prepare(`UPDATE items SET ended_at = ?, frame = NULL WHERE ended_at IS NULL AND ${where}`).run(now(), ...values)
  }
  const endMore = (device: string, upTo: number) =>
    end(
      `device = ? AND seq <= ? AND kind = 'more' AND NOT EXISTS (SELECT 1 FROM items AS told
       WHERE told.device = items.device AND told.id = items.id AND told.kind = 'message' AND told.ended_at IS NULL)`,
      device,
      upTo,
    )
  const trim = (device: string) => {
    end(
      `device = ? AND seq <= coalesce((SELECT seq FROM items WHERE device = ? AND ended_at IS NULL
       ORDER BY seq DESC LIMIT 1 OFFSET ${REDELIVERY_MAX_ITEMS}), -1)`,
      device,
      device,
    )
    const newestFirst = db
      .prepare(`SELECT seq, bytes FROM items WHERE device = ? AND ended_at IS NULL AND bytes > 0 ORDER BY seq DESC`)
      .all(device)
    let bytes = 0
    for (const row of newestFirst) {
      bytes += Number(row['bytes'])
      if (bytes > maxMediaBytes) end('seq = ?', Number(row['seq']))
    }
  }

  return {
    append: (device, items, names = {}) =>
      db.write(() => {
        const known = names.key && db.prepare('SELECT id FROM items WHERE key = ?').get(names.key)
        if (known) return String(known['id'])
        for (const [at, item] of items.entries()) insert(device, item, at === 0 ? names : {})
        trim(device)
        return items[0]?.frame.id ?? ''
      }),
    next: (device, after) =>
      db.read(() => {
        const [row, behind] = db
          .prepare(
            `SELECT seq, kind, frame, created_at FROM items
             WHERE device = ? AND seq > ? AND ended_at IS NULL AND created_at > ? ORDER BY seq LIMIT 2`,
          )
          .all(device, after, now() - REDELIVERY_MAX_AGE_MS)
        return row && { ...itemOf(row), isLast: behind === undefined }
      }),
    draft: (device, event) =>
      db.read(() => {
        const row = db
          .prepare(
            `SELECT id FROM items WHERE device = ? AND event = ? AND NOT EXISTS
             (SELECT 1 FROM items AS later WHERE later.device = items.device AND later.id = items.id AND later.kind = 'more')`,
          )
          .get(device, event)
        return row && String(row['id'])
      }),
    has: (device, id) =>
      db.read(() => db.prepare('SELECT 1 FROM items WHERE device = ? AND id = ?').get(device, id) !== undefined),
    acknowledge: (device, id, confirmed) =>
      db.write(() => {
        const files = db
          .prepare(`SELECT frame FROM items WHERE device = ? AND id = ? AND kind = 'media' AND ended_at IS NULL`)
          .all(device, id)
        end(`device = ? AND id = ? AND kind IN ('message', 'media', 'prompt')`, device, id)
        // Frames come in their order, so that it has what its reply began with. Some clients tell the end of a reply alone.
        end(
          `device = ? AND kind = 'message' AND json_extract(frame, '$.final') = 0
           AND seq < (SELECT min(seq) FROM items WHERE device = ? AND id = ?)`,
          device,
          device,
          id,
        )
        endMore(device, confirmed)
        return files.map(pathOf)
      }),
    confirm: (device, upTo) =>
      db.write(() => {
        end(`device = ? AND seq <= ? AND kind = 'prompt_done'`, device, upTo)
        endMore(device, upTo)
      }),
    shown: (seq) =>
      db.write(() => {
        db.prepare('UPDATE items SET is_shown = 1 WHERE seq = ? AND is_shown = 0').run(seq)
      }),
    closePrompt: (device, done) => db.write(() => closePrompt(device, done)),
    expirePrompts: () =>
      db.write(() => {
        const open = db
          .prepare(
            `SELECT device, id FROM items WHERE kind = 'prompt' AND NOT EXISTS (SELECT 1 FROM items AS done
             WHERE done.device = items.device AND done.id = items.id AND done.kind = 'prompt_done')`,
          )
          .all()
        for (const row of open)
          closePrompt(String(row['device']), { t: 'prompt_done', id: String(row['id']), expired: true })
      }),
    tidy: () =>
      db.write(() => {
        end('created_at < ?', now() - REDELIVERY_MAX_AGE_MS)
        db.prepare('DELETE FROM items WHERE created_at < ?').run(now() - 2 * REDELIVERY_MAX_AGE_MS)
      }),
    files: () =>
      db.read(() => {
        const rows = db.prepare(`SELECT frame FROM items WHERE kind = 'media' AND ended_at IS NULL`).all()
        return new Set(rows.map(pathOf))
      }),
    close: () => db.close(),
  }

  function closePrompt(device: string, done: FrameOf<'prompt_done'>): void {
    const row = db
      .prepare(`SELECT is_shown FROM items WHERE device = ? AND id = ? AND kind = 'prompt'`)
      .get(device, done.id)
    end(`device = ? AND id = ? AND kind = 'prompt'`, device, done.id)
    if (Number(row?.['is_shown']) === 1) insert(device, { kind: 'prompt_done', frame: done }, {})
  }
}

function pathOf({ frame }: Readonly<Record<string, unknown>>): string {
  return (JSON.parse(String(frame)) as MediaItem).path
}

/** Our own rows: their form is what `insert` made. */
function itemOf(row: Readonly<Record<string, unknown>>): ItemContent & Pick<DeliveryItem, 'seq' | 'createdAt'> {
  const content = { kind: row['kind'], frame: JSON.parse(String(row['frame'])) as unknown } as ItemContent
  return { ...content, seq: Number(row['seq']), createdAt: Number(row['created_at']) }
}
