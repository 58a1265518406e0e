import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { openChecked } from '../security/file-safety.ts'
import type { CheckedPath } from '../security/file-safety.ts'
import { isSameVersion, versionOf } from './file-reads.ts'
import type { FileReads, SeenFile } from './file-reads.ts'

/** Larger files are told apart by their version alone, bytes. */
const maxDigestBytes = 4 * 1024 * 1024

/**
 * Why a file must not be written: it is no longer what this session has read or written last. Undefined where it is, or
 * was never read. A file whose times alone have changed, or that was replaced by an equal one, is what it was.
 */
export async function changedSinceRead(checked: CheckedPath, fileReads: FileReads): Promise<string | undefined> {
  const { asked, path, stats } = checked
  // A link that is taken away takes no content with it.
  if (stats?.isSymbolicLink()) return undefined
  const before = fileReads.lastPath(asked)
  if (before !== undefined && before !== path) {
    return `${asked} is another file now than the one you read (it leads to ${path}); nothing was written. Read it again first.`
  }
  const seen = fileReads.lastSeen(path)
  if (!seen) return undefined
  if (!stats) {
    // Now that the model knows, it may make it anew.
    fileReads.wrote(checked, undefined)
    return `${asked} was deleted by something else since you last read it; nothing was written. To make it anew, write it again.`
  }
  if (isSameVersion(seen.version, versionOf(stats)) || (await isSameContent(checked, seen))) return undefined
  return `${asked} was changed by something else since you last read it; nothing was written. Read it again, then change what it holds now.`
}

async function isSameContent(checked: CheckedPath, { digest, version }: SeenFile): Promise<boolean> {
  if (digest === undefined || !checked.stats?.isFile() || checked.stats.size !== version.size) return false
  await using file = await openChecked(checked)
  return (await seenIn(file)).digest === digest
}

/** A file as it is now, by its open handle. */
export async function seenIn(file: FileHandle): Promise<SeenFile> {
  const stats = await file.stat({ bigint: true })
  const version = versionOf(stats)
  if (stats.size > maxDigestBytes) return { version, digest: undefined }
  const bytes = Buffer.alloc(Number(stats.size))
  const { bytesRead } = await file.read(bytes, 0, bytes.length, 0)
  const isWhole = bytesRead === bytes.length && isSameVersion(version, versionOf(await file.stat({ bigint: true })))
  return { version, digest: isWhole ? digestOf(bytes) : undefined }
}

/** The digest of a content; undefined for one that is too large. */
export function digestOf(bytes: Uint8Array): string | undefined {
  return bytes.length > maxDigestBytes ? undefined : createHash('sha256').update(bytes).digest('base64')
}
