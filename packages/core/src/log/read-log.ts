import { open, stat } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'

/** Read from the end of a file in pieces of so many bytes. */
const pieceBytes = 64 * 1024

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

/** What a file has there, as far as it goes. */
export async function readPart(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { bytesRead, buffer } = await file.read({ buffer: Buffer.alloc(length), position })
  return buffer.subarray(0, bytesRead)
}
