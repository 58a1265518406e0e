import { open, rename, unlink } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'

/** Bytes that are moved at a time. */
const pieceBytes = 256 * 1024

/** The parts of one file as they come, on disk. Not for calls side by side. */
export interface SpoolFile {
  /** Bytes that are there. */
  readonly size: number
  has(part: number): boolean
  readonly parts: number
  write(part: number, pieces: Iterable<Buffer>): Promise<void>
  /** Closes it with its parts in their order. Resolves to its path; where that fails nothing of it stays. */
  finish(): Promise<string>
  /** Removes it. */
  discard(): Promise<void>
}

export async function openSpoolFile(path: string): Promise<SpoolFile> {
  const handle = await open(path, 'wx+', 0o600)
  const places = new Map<number, { readonly start: number; readonly length: number }>()
  let size = 0
  let isOpen = true
  const close = async () => {
    if (isOpen) await handle.close()
    isOpen = false
  }
  const discard = async () => {
    await close()
    await removeFile(path)
  }

  return {
    get size() {
      return size
    },
    get parts() {
      return places.size
    },
    has: (part) => places.has(part),
    async write(part, pieces) {
      const start = size
      let at = start
      for (const piece of pieces) {
        await writeWhole(handle, piece, at)
        at += piece.length
      }
      size = at
      places.set(part, { start, length: at - start })
    },
    async finish() {
      try {
        const inOrder = [...places].sort(([a], [b]) => a - b).map(([, place]) => place)
        const isInOrder = inOrder.every(({ start }, at) => at === 0 || start >= (inOrder[at - 1]?.start ?? 0))
        if (!isInOrder) await rewrite(handle, inOrder, `${path}.sorted`)
        await close()
        if (!isInOrder) await rename(`${path}.sorted`, path)
        return path
      } catch (error) {
        await discard()
        throw error
      }
    },
    discard,
  }
}

/** A disk that is nearly full takes less than it is given, without an error. */
async function writeWhole(handle: FileHandle, bytes: Buffer, at: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, at + done)
    done += bytesWritten
  }
}

async function removeFile(path: string): Promise<void> {
  await unlink(path).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
  })
}

async function rewrite(
  from: FileHandle,
  places: readonly { readonly start: number; readonly length: number }[],
  path: string,
): Promise<void> {
  const to = await open(path, 'wx', 0o600)
  try {
    const buffer = Buffer.allocUnsafe(pieceBytes)
    let end = 0
    for (const { start, length } of places) {
      for (let at = 0; at < length;) {
        const { bytesRead } = await from.read(buffer, 0, Math.min(pieceBytes, length - at), start + at)
        if (bytesRead === 0) throw new Error('a file is shorter than its parts')
        await writeWhole(to, buffer.subarray(0, bytesRead), end)
        end += bytesRead
        at += bytesRead
      }
    }
  } catch (error) {
    await removeFile(path)
    throw error
  } finally {
    await to.close()
  }
}
