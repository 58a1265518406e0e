/** Newest files that stay on the phone, and bytes of all of them. */
const [maxFiles, maxBytes] = [200, 200_000_000]

const [databaseName, storeName] = ['hermes-files', 'files']

interface KeptFile {
  readonly id: string
  /** Ms since 1970. */
  readonly at: number
  readonly blob: Blob
}

/**
 * Files of the conversation in the browser's database, since the server does not tell them again. Where that is full or
 * forbidden a file lasts as long as the page.
 */
export interface KeptFiles {
  put(id: string, blob: Blob): Promise<void>
  ids(): Promise<ReadonlySet<string>>
  /** Rejects with an error for people where it is gone. */
  read(id: string): Promise<Blob>
  /** Removes all; nothing is kept any more. */
  forget(): void
}

export function createKeptFiles(): KeptFiles {
  let opened: Promise<IDBDatabase> | undefined
  let isForgotten = false

  function open(): Promise<IDBDatabase> {
    return (opened ??= new Promise((resolve, reject) => {
      const opening = indexedDB.open(databaseName, 1)
      opening.addEventListener('upgradeneeded', () => {
        opening.result.createObjectStore(storeName, { keyPath: 'id' }).createIndex('at', 'at')
      })
      opening.addEventListener('error', () => reject(new Error('Files cannot be kept.', { cause: opening.error })))
      opening.addEventListener('success', () => {
        const database = opening.result
        database.addEventListener('versionchange', () => database.close())
        resolve(database)
      })
    }))
  }

  async function files(mode: IDBTransactionMode): Promise<IDBObjectStore> {
    return (await open()).transaction(storeName, mode).objectStore(storeName)
  }

  return {
    async put(id, blob) {
      if (isForgotten) return
      try {
        const store = await files('readwrite')
        const file: KeptFile = { id, at: Date.now(), blob }
        store.put(file)
        const everything = await done<KeptFile[]>(store.index('at').getAll())
        for (const { id: old } of beyondBounds(everything)) store.delete(old)
        await committed(store.transaction)
      } catch {
        // As it says above.
      }
    },
    async ids() {
      try {
        return new Set((await done((await files('readonly')).getAllKeys())).map(String))
      } catch {
        return new Set()
      }
    },
    async read(id) {
      const file = await done<KeptFile | undefined>((await files('readonly')).get(id))
      if (!file) throw new Error('The file is not on this phone any more.')
      return file.blob
    },
    forget() {
      isForgotten = true
      indexedDB.deleteDatabase(databaseName)
    },
  }
}

/** The oldest ones that are too much; `all`: oldest first. */
export function beyondBounds(all: readonly { readonly id: string; readonly blob: { readonly size: number } }[]) {
  let [count, bytes] = [0, 0]
  const firstKept = all.findLastIndex(({ blob }) => ++count > maxFiles || (bytes += blob.size) > maxBytes) + 1
  return all.slice(0, firstKept)
}

function done<Value>(request: IDBRequest<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result))
    request.addEventListener('error', () =>
      reject(new Error('The browser’s database failed.', { cause: request.error })),
    )
  })
}

function committed(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.addEventListener('complete', () => resolve())
    transaction.addEventListener('abort', () => reject(new Error('It was not kept.', { cause: transaction.error })))
  })
}
