/** Files are read into it one after the other, so that what one needed is not asked of the system again for each. */
export interface FileRoom {
  /** All of a file, until the next one is read. Throws what the file system says. */
  readonly read: (path: string) => Buffer
}

/** Enough for every file of the bundle, compiled. */
const mostBytes = 2 ** 25

/**
 * What it holds may be collected when nobody reads. A buffer that can grow is the system's own memory: of C's, the first
 * large piece that is given back has all of its threads keep as much for later, which is 30 MB under load.
 */
export function createFileRoom(): FileRoom {
  const { closeSync, fstatSync, openSync, readSync } = process.getBuiltinModule('node:fs')
  let room: WeakRef<ArrayBuffer> | undefined
  const roomFor = (size: number) => {
    let there = room?.deref()
    if (!there) {
      there = new ArrayBuffer(0, { maxByteLength: mostBytes })
      room = new WeakRef(there)
    }
    if (there.byteLength < size) there.resize(size)
    return Buffer.from(there, 0, size)
  }
  return {
    read(path) {
      const file = openSync(path, 'r')
      try {
        const { size } = fstatSync(file)
        const bytes = roomFor(size)
        let length = 0
        while (length < size) {
          const read = readSync(file, bytes, length, size - length, length)
          if (read === 0) break
          length += read
        }
        return bytes.subarray(0, length)
      } finally {
        closeSync(file)
      }
    },
  }
}
