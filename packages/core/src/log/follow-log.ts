import { watch } from 'node:fs'
import { open } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { endOf, readPart } from './read-log.ts'
import type { LogPlace } from './read-log.ts'

/** Most that is read at once, bytes. */
const followBytes = 1024 * 1024

/** Files that were put aside which are looked through, at most. */
const maxAside = 100

/** The file that is read from, which stays the same under whatever name. */
interface OpenLog {
  readonly file: FileHandle
  readonly inode: number
}

/**
 * Lines that are added to a file after a place, until `signal` aborts. A file that is put aside and begun anew is read to its
 * end and followed into those that took its place, however late whoever reads these lines comes to that, as long as they are
 * kept; one that is not there yet is waited for.
 */
export async function* followLines(path: string, from: LogPlace, signal: AbortSignal): AsyncGenerator<string, void> {
  let wake: (() => void) | undefined
  const watcher = watch(dirname(path), { signal, persistent: true }, (_event, name) => {
    if (name === null || name === basename(path)) wake?.()
  })
  watcher.on('error', () => wake?.())
  signal.addEventListener('abort', () => wake?.(), { once: true })
  let log = await openLog(path, from.inode)
  let at = log?.inode === from.inode ? from.size : 0
  let rest: Buffer = Buffer.alloc(0)
  let isLeft = false
  try {
    while (!signal.aborted) {
      const changed = new Promise<void>((resolve) => (wake = resolve))
      log ??= await openLog(path, 0)
      const piece = log ? await readPart(log.file, at, followBytes) : rest.subarray(0, 0)
      if (piece.length > 0) {
        at += piece.length
        const bytes = Buffer.concat([rest, piece])
        const end = bytes.lastIndexOf(0x0a) + 1
        rest = bytes.subarray(end)
        if (end > 0) yield* bytes.toString('utf8', 0, end - 1).split('\n')
        continue
      }
      const now = await endOf(path)
      if (log && now.inode !== 0 && now.inode !== log.inode) {
        // What it got while that was looked at is still to be read.
        if (isLeft) {
          const next = await openNext(path, log.inode)
          await log.file.close()
          log = next
          at = 0
        }
        isLeft = !isLeft
      } else if (log && now.inode === log.inode && now.size < at) at = 0
      else await changed
    }
  } finally {
    await log?.file.close()
  }
}

/** The file of this inode under its name or one that it was put aside as; else the one that has the name now, if any. */
async function openLog(path: string, inode: number): Promise<OpenLog | undefined> {
  const name = inode === 0 ? undefined : (await namesOf(path)).find((one) => one.inode === inode)?.name
  return openNamed(name ?? path)
}

/** The file that was begun when the one of this inode was put aside; the oldest one where that is gone. */
async function openNext(path: string, inode: number): Promise<OpenLog | undefined> {
  const names = await namesOf(path)
  const found = names.findIndex((one) => one.inode === inode)
  return openNamed((names[found < 0 ? names.length - 1 : found - 1] ?? names[0])?.name ?? path)
}

/** The names that there are, the newest first. */
async function namesOf(path: string): Promise<readonly { readonly name: string; readonly inode: number }[]> {
  const found: { readonly name: string; readonly inode: number }[] = []
  for (let number = 0; number <= maxAside; number++) {
    const name = number === 0 ? path : `${path}.${number}`
    const { inode } = await endOf(name)
    if (inode !== 0) found.push({ name, inode })
    else if (number > 0) break
  }
  return found
}

async function openNamed(name: string): Promise<OpenLog | undefined> {
  try {
    const file = await open(name, 'r')
    const { ino } = await file.stat()
    return { file, inode: ino }
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
