import { open, stat } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { watch } from 'node:fs'
import { basename, dirname } from 'node:path'

/** Read from the end of a file in pieces of so many bytes. */
const pieceBytes = 64 * 1024

/** Most that a look at new lines reads at once, bytes. */
const followBytes = 1024 * 1024

/** A place in a file that may be put aside and begun anew. */
export interface LogPlace {
  readonly inode: number
  /** Bytes before it. */
  readonly size: number
}

/** The end of a file as it is now; of one that is not there, its beginning. */
export async function endOf(path: string): Promise<LogPlace> {
  try {
    const { ino, size } = await stat(path)
    return { inode: ino, size }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return { inode: 0, size: 0 }
    throw error
  }
}

/** The last lines before a place, oldest first. Throws what the file system throws. */
export async function lastLines(path: string, count: number, { size }: LogPlace): Promise<readonly string[]> {
  await using file = await open(path, 'r')
  let from = size
  let tail = Buffer.alloc(0)
  for (let lines = 0; from > 0 && lines <= count;) {
    const start = Math.max(0, from - pieceBytes)
    const piece = await readPart(file, start, from - start)
    tail = Buffer.concat([piece, tail])
    lines += piece.filter((byte) => byte === 0x0a).length
    from = start
  }
  const lines = tail.toString('utf8').split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines.slice(-count)
}

/**
 * Lines that are added to a file after a place, until `signal` aborts. A file that is put aside and begun anew is followed
 * into the new one, and one that is not there yet is waited for.
 */
export async function* followLines(path: string, from: LogPlace, signal: AbortSignal): AsyncGenerator<string, void> {
  let wake: (() => void) | undefined
  const watcher = watch(dirname(path), { signal, persistent: true }, (_event, name) => {
    if (name === null || name === basename(path)) wake?.()
  })
  watcher.on('error', () => wake?.())
  signal.addEventListener('abort', () => wake?.(), { once: true })
  let at = from
  let rest: Buffer = Buffer.alloc(0)
  while (!signal.aborted) {
    const changed = new Promise<void>((resolve) => (wake = resolve))
    const now = await endOf(path)
    // What the old file got last is still in it.
    const parts = now.inode === at.inode && now.size >= at.size ? [] : await ofReplaced(path, at)
    if (parts.length > 0 || now.inode !== at.inode || now.size < at.size) at = { inode: now.inode, size: 0 }
    if (now.size > at.size) {
      await using file = await open(path, 'r')
      const piece = await readPart(file, at.size, Math.min(followBytes, now.size - at.size))
      parts.push(piece)
      at = { inode: now.inode, size: at.size + piece.length }
    }
    const bytes = Buffer.concat([rest, ...parts])
    const end = bytes.lastIndexOf(0x0a) + 1
    rest = bytes.subarray(end)
    if (end > 0) yield* bytes.toString('utf8', 0, end - 1).split('\n')
    if (at.size >= now.size) await changed
  }
}

/** The end of a file that was put aside as `.1`. */
async function ofReplaced(path: string, { inode, size }: LogPlace): Promise<Buffer[]> {
  const old = await endOf(`${path}.1`)
  if (old.inode !== inode || old.size <= size) return []
  await using file = await open(`${path}.1`, 'r')
  return [await readPart(file, size, Math.min(followBytes, old.size - size))]
}

async function readPart(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read({ buffer: Buffer.alloc(length), position })
  return buffer.subarray(0, bytesRead)
}
