import { hash } from 'node:crypto'
import type { Home } from '@hermes/core/config/home.ts'
import { openDatabase } from '@hermes/core/storage/database.ts'
import type { Database } from '@hermes/core/storage/database.ts'
import { lazily } from '@hermes/core/storage/lazily.ts'
import { z } from 'zod'
import { wireHistory } from './wire-history.ts'

const storedSchema = lazily(() =>
  z.looseObject({
    response: z.looseObject({ id: z.string() }),
    conversation_history: wireHistory()
      .nullish()
      .transform((value) => value ?? []),
    instructions: z.string().nullish(),
    /** Ours alone: the session, and how long it was after this response. */
    session_id: z.string().optional(),
    message_count: z.number().optional(),
    /** Ours alone: it has images, which are kept beside it. */
    has_images: z.boolean().optional(),
  }),
)

/** A response with what the next one of its chain needs. */
export type StoredResponse = z.infer<ReturnType<typeof storedSchema>>

/** Upstream's `response_store.db`: the hundred responses used last, and which one each named conversation ends in. */
export interface ResponseStore extends AsyncDisposable {
  get(id: string): Promise<StoredResponse | undefined>
  /** Keeps a response; where it belongs to a conversation, as its last one. */
  put(stored: StoredResponse, beside?: KeptBeside): Promise<void>
  /** The images that were seen in a response's conversation, oldest first; those that had to make room are not there. */
  images(id: string): Promise<readonly string[]>
  remove(id: string): Promise<boolean>
  /** The id of a conversation's last response. */
  latest(conversation: string): Promise<string | undefined>
}

export interface KeptBeside {
  /** The name of its conversation. */
  readonly conversation?: string | undefined
  /** Addresses of images, `data:` or on the web, oldest first. */
  readonly images?: readonly string[]
}

const maxResponses = 100
/** Characters of all images together; those that were used longest ago make room. */
const usualImageChars = 100_000_000

/** Opened when it is first used. All methods throw `DatabaseError`. `now` in ms. */
export function createResponseStore(
  home: Home,
  now: () => number,
  maxImageChars: number = usualImageChars,
): ResponseStore {
  let opening: Promise<Database> | undefined
  const open = () => {
    opening ??= openStore(home).catch((error: unknown) => {
      opening = undefined
      throw error
    })
    return opening
  }
  const seconds = () => now() / 1000

  return {
    async get(id) {
      const db = await open()
      const row = await db.write(() => {
        db.prepare('UPDATE responses SET accessed_at = ? WHERE response_id = ?').run(seconds(), id)
        return db.prepare('SELECT data FROM responses WHERE response_id = ?').get(id)
      })
      return row === undefined ? undefined : parsed(row['data'])
    },
    async put(stored, { conversation, images = [] } = {}) {
      const db = await open()
      await db.write(() => {
        const { id } = stored.response
        const data = JSON.stringify(images.length > 0 ? { ...stored, has_images: true } : stored)
        const add = 'INSERT OR REPLACE INTO responses (response_id, data, accessed_at) VALUES (?, ?, ?)'
        db.prepare(add).run(id, data, seconds())
        if (images.length > 0) putImages(db, id, { images, at: seconds(), maxChars: maxImageChars })
        if (conversation !== undefined) {
          db.prepare('INSERT OR REPLACE INTO conversations (name, response_id) VALUES (?, ?)').run(conversation, id)
        }
        db.prepare(
          'DELETE FROM responses WHERE response_id IN (SELECT response_id FROM responses ORDER BY accessed_at DESC, rowid DESC LIMIT -1 OFFSET ?)',
        ).run(maxResponses)
        forgetEnded(db)
      })
    },
    async images(id) {
      const db = await open()
      const wanted = 'SELECT url FROM response_images JOIN images USING (digest) WHERE response_id = ? ORDER BY place'
      return db.read(() =>
        db
          .prepare(wanted)
          .all(id)
          .map(({ url }) => String(url)),
      )
    },
    async remove(id) {
      const db = await open()
      return db.write(() => {
        const { changes } = db.prepare('DELETE FROM responses WHERE response_id = ?').run(id)
        forgetEnded(db)
        return changes > 0
      })
    },
    async latest(conversation) {
      const db = await open()
      const row = await db.read(() =>
        db.prepare('SELECT response_id FROM conversations WHERE name = ?').get(conversation),
      )
      return typeof row?.['response_id'] === 'string' ? row['response_id'] : undefined
    },
    async [Symbol.asyncDispose]() {
      const db = await opening?.catch(() => undefined)
      db?.close()
    },
  }
}

/** Conversations whose last response is no longer there begin anew; images of no response go. */
function forgetEnded(db: Database): void {
  db.prepare('DELETE FROM conversations WHERE response_id NOT IN (SELECT response_id FROM responses)').run()
  db.prepare('DELETE FROM response_images WHERE response_id NOT IN (SELECT response_id FROM responses)').run()
  db.prepare('DELETE FROM images WHERE digest NOT IN (SELECT digest FROM response_images)').run()
}

interface Images {
  readonly images: readonly string[]
  /** Seconds. */
  readonly at: number
  /** Of all images of the store. */
  readonly maxChars: number
}

/** All responses of a chain name the same images, which are there once. */
function putImages(db: Database, id: string, { images, at, maxChars }: Images): void {
  const add = db.prepare(
    'INSERT INTO images (digest, used_at, chars, url) VALUES (?, ?, ?, ?) ON CONFLICT (digest) DO UPDATE SET used_at = excluded.used_at',
  )
  const name = db.prepare('INSERT OR REPLACE INTO response_images (response_id, place, digest) VALUES (?, ?, ?)')
  for (const [place, url] of images.entries()) {
    const digest = hash('sha256', url)
    add.run(digest, at, url.length, url)
    name.run(id, place, digest)
  }
  db.prepare(
    `DELETE FROM images WHERE digest IN (
       SELECT digest FROM (SELECT digest, SUM(chars) OVER (ORDER BY used_at DESC, rowid DESC) AS sum FROM images)
       WHERE sum > ?)`,
  ).run(maxChars)
  db.prepare('DELETE FROM response_images WHERE digest NOT IN (SELECT digest FROM images)').run()
}

function parsed(data: unknown): StoredResponse | undefined {
  try {
    return storedSchema().safeParse(JSON.parse(String(data))).data
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

async function openStore(home: Home): Promise<Database> {
  const db = await openDatabase(home.path('response_store.db'))
  try {
    await db.write(() => db.exec(tables))
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

const tables = `
CREATE TABLE IF NOT EXISTS responses (
  response_id TEXT PRIMARY KEY,
  data TEXT NOT NULL,
  accessed_at REAL NOT NULL
);
CREATE TABLE IF NOT EXISTS conversations (
  name TEXT PRIMARY KEY,
  response_id TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS images (
  digest TEXT PRIMARY KEY,
  used_at REAL NOT NULL,
  chars INTEGER NOT NULL,
  url TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS response_images (
  response_id TEXT NOT NULL,
  place INTEGER NOT NULL,
  digest TEXT NOT NULL,
  PRIMARY KEY (response_id, place)
)`
