import { z } from 'zod'

/** How an object store of IndexedDB is made. */
export const storeShape = z.object({
  name: z.string(),
  keyPath: z.union([z.string(), z.array(z.string())]).nullable(),
  autoIncrement: z.boolean(),
  indexes: z.array(
    z.object({
      name: z.string(),
      keyPath: z.union([z.string(), z.array(z.string())]),
      unique: z.boolean(),
      multiEntry: z.boolean(),
    }),
  ),
})

export type StoreShape = z.infer<typeof storeShape>

export interface StoredRecord {
  readonly key: unknown
  readonly value: unknown
}

/** IndexedDB in memory: what is used of it, and what the stand-in (fake-indexeddb, whose version is fixed) keeps inside. */
export interface MemoryFactory {
  open(name: string, version: number): Request<Connection>
  readonly _databases: Map<string, MemoryDatabase>
}

export interface MemoryDatabase {
  readonly version: number
  readonly rawObjectStores: ReadonlyMap<string, MemoryStore>
}

interface MemoryStore extends Omit<StoreShape, 'indexes'> {
  readonly rawIndexes: ReadonlyMap<string, StoreShape['indexes'][number]>
  /** A record is replaced, never changed. */
  readonly records: { values(): Iterable<StoredRecord> }
}

interface Request<Result> {
  readonly result: Result
  readonly error: unknown
  addEventListener(type: 'success' | 'error' | 'upgradeneeded', listener: () => void): void
}

interface Connection {
  readonly objectStoreNames: Iterable<string>
  createObjectStore(
    name: string,
    options: Pick<StoreShape, 'keyPath' | 'autoIncrement'>,
  ): {
    createIndex(name: string, keyPath: string | string[], options: { unique: boolean; multiEntry: boolean }): unknown
  }
  transaction(
    stores: readonly string[],
    mode: 'readwrite',
  ): {
    readonly error: unknown
    objectStore(name: string): { readonly keyPath: unknown; put(value: unknown, key?: unknown): unknown }
    addEventListener(type: 'complete' | 'abort', listener: () => void): void
  }
  close(): void
}

/** The stand-in, as the global that the crypto library looks for. */
export async function memoryFactory(): Promise<MemoryFactory> {
  const holder = globalThis as { indexedDB?: Partial<MemoryFactory> }
  if (holder.indexedDB === undefined) {
    for (const [name, value] of Object.entries(await import('fake-indexeddb'))) {
      if (/^(IDB|indexedDB$)/.test(name)) {
        Object.defineProperty(globalThis, name, { value, configurable: true, writable: true })
      }
    }
  }
  const factory = holder.indexedDB
  if (!(factory?._databases instanceof Map)) throw new Error('another IndexedDB is in this process')
  return factory as MemoryFactory
}

/** The shapes of a database's stores. */
export function shapesOf({ rawObjectStores }: MemoryDatabase): readonly StoreShape[] {
  return [...rawObjectStores.values()].map(({ name, keyPath, autoIncrement, rawIndexes }) => ({
    name,
    keyPath,
    autoIncrement,
    indexes: [...rawIndexes.values()].map((index) => ({
      name: index.name,
      keyPath: index.keyPath,
      unique: index.unique,
      multiEntry: index.multiEntry,
    })),
  }))
}

export interface FilledDatabase {
  readonly name: string
  readonly version: number
  readonly shapes: readonly StoreShape[]
  readonly records: readonly (StoredRecord & { readonly store: string })[]
}

/** Makes a database with records in it. */
export async function createDatabase(
  factory: MemoryFactory,
  { name, version, shapes, records }: FilledDatabase,
): Promise<void> {
  const request = factory.open(name, version)
  const connection = await new Promise<Connection>((resolve, reject) => {
    request.addEventListener('upgradeneeded', () => {
      for (const { name: store, keyPath, autoIncrement, indexes } of shapes) {
        const made = request.result.createObjectStore(store, { keyPath, autoIncrement })
        for (const { name: index, keyPath: path, unique, multiEntry } of indexes) {
          made.createIndex(index, path, { unique, multiEntry })
        }
      }
    })
    request.addEventListener('success', () => resolve(request.result))
    request.addEventListener('error', () =>
      reject(new Error(`the store of keys cannot be made: ${String(request.error)}`)),
    )
  })
  if (records.length > 0) {
    await new Promise<void>((resolve, reject) => {
      const transaction = connection.transaction([...connection.objectStoreNames], 'readwrite')
      transaction.addEventListener('complete', () => resolve())
      transaction.addEventListener('abort', () =>
        reject(new Error(`the keys cannot be read: ${String(transaction.error)}`)),
      )
      for (const { store, key, value } of records) {
        const target = transaction.objectStore(store)
        if (target.keyPath === null) target.put(value, key)
        else target.put(value)
      }
    })
  }
  connection.close()
}
