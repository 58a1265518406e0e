import { randomUUID } from 'node:crypto'
import { deserialize, serialize } from 'node:v8'
import type { Database } from '@hermes/core/storage/database.ts'
import { z } from 'zod'
import { createDatabase, memoryFactory, shapesOf, storeShape } from './memory-indexed-db.ts'
import type { MemoryFactory, StoredRecord } from './memory-indexed-db.ts'

// The crypto library keeps its keys in IndexedDB, which Node lacks. A stand-in of it in memory serves the library, and
// what changes in that goes to SQLite, in one transaction, before anything that depends on it leaves this process.

/** Where the keys of a device are kept. */
export interface CryptoStore {
  /** Name under which the library opens it. */
  readonly name: string
  /** Writes what has changed since the last time, all or nothing. Must not run while the library writes. */
  save(): Promise<void>
  /** Forgets the copy in memory. */
  close(): void
}

interface Change {
  readonly database: string
  readonly store: string
  readonly key: Uint8Array
  /** Absent: it is gone. */
  readonly value?: Uint8Array
}

/** Opens the store with what `db` holds of it. */
export async function openCryptoStore(db: Database): Promise<CryptoStore> {
  const factory = await memoryFactory()
  const prefix = `hermes-${randomUUID()}`
  const own = () =>
    [...factory._databases].flatMap(([full, database]) =>
      full.startsWith(`${prefix}::`) ? [{ full, name: full.slice(prefix.length), database }] : [],
    )
  let saved = new Map<string, ReadonlySet<StoredRecord>>()

  const look = () => {
    const found = new Map<string, ReadonlySet<StoredRecord>>()
    const changes: Change[] = []
    for (const { name, database } of own()) {
      for (const store of database.rawObjectStores.values()) {
        const at = { database: name, store: store.name }
        const before = saved.get(JSON.stringify(at)) ?? new Set()
        const now: ReadonlySet<StoredRecord> = new Set(store.records.values())
        found.set(JSON.stringify(at), now)
        // First what goes: a record that was replaced has the same key.
        for (const { key } of before.difference(now)) changes.push({ ...at, key: serialize(key) })
        for (const { key, value } of now.difference(before)) {
          changes.push({ ...at, key: serialize(key), value: serialize(value) })
        }
      }
    }
    return { found, changes }
  }
  const write = (changes: readonly Change[]) => {
    const put = db.prepare('INSERT OR REPLACE INTO crypto_databases (name, version, stores) VALUES (?, ?, ?)')
    for (const { name, database } of own()) put.run(name, database.version, JSON.stringify(shapesOf(database)))
    const drop = db.prepare('DELETE FROM crypto_records WHERE database = ? AND store = ? AND key = ?')
    const add = db.prepare('INSERT OR REPLACE INTO crypto_records (database, store, key, value) VALUES (?, ?, ?, ?)')
    for (const { database, store, key, value } of changes) {
      if (value) add.run(database, store, key, value)
      else drop.run(database, store, key)
    }
  }

  await restore(prefix, db, factory)
  saved = look().found
  return {
    name: prefix,
    async save() {
      const { found, changes } = look()
      if (changes.length > 0) await db.write(() => write(changes))
      saved = found
    },
    close() {
      for (const { full } of own()) factory._databases.delete(full)
    },
  }
}

/** Forgets what `db` holds of a store. */
export async function dropCryptoStore(db: Database): Promise<void> {
  await db.write(() => db.exec('DELETE FROM crypto_records; DELETE FROM crypto_databases'))
}

const databaseRow = z.object({ name: z.string(), version: z.number(), stores: z.string() })
const recordRow = z.object({ store: z.string(), key: z.instanceof(Uint8Array), value: z.instanceof(Uint8Array) })

async function restore(prefix: string, db: Database, factory: MemoryFactory): Promise<void> {
  const [databases, records] = await db.read(() => [
    db.prepare('SELECT name, version, stores FROM crypto_databases').all(),
    db.prepare('SELECT database, store, key, value FROM crypto_records').all(),
  ])
  for (const row of databases) {
    const { name, version, stores } = databaseRow.parse(row)
    const shapes = z.array(storeShape).parse(JSON.parse(stores))
    const held = records.flatMap((record) => {
      if (record['database'] !== name) return []
      const { store, key, value } = recordRow.parse(record)
      return [{ store, key: deserialize(key) as unknown, value: deserialize(value) as unknown }]
    })
    await createDatabase(factory, { name: `${prefix}${name}`, version, shapes, records: held })
  }
}
