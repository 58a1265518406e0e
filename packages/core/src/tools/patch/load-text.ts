import { basename, dirname } from 'node:path'
import { openChecked } from '../../security/file-safety.ts'
import type { CheckedPath } from '../../security/file-safety.ts'
import { looksBinary } from '../file-kind.ts'
import { versionOf } from '../file-reads.ts'
import type { FileVersion } from '../file-reads.ts'
import { similarIn } from '../similar-names.ts'
import { PatchError } from './patch-error.ts'

/** Largest file that is edited in memory, bytes. */
export const maxTextBytes = 16 * 1024 * 1024

export interface LoadedText {
  readonly bytes: Buffer
  /** The file's version when it was opened. */
  readonly version: FileVersion
}

/** Reads a whole text file to edit it. Throws `PatchError` for what cannot be edited as text. */
export async function loadText(checked: CheckedPath): Promise<LoadedText> {
  const { asked, path, stats } = checked
  if (!stats) {
    const similar = await similarIn(dirname(path), basename(path))
    throw new PatchError(`File not found: ${asked}`, similar.length > 0 ? { similar_files: similar } : {})
  }
  if (stats.isDirectory()) throw new PatchError(`${asked} is a folder, not a file.`)
  await using file = await openChecked(checked)
  const opened = await file.stat({ bigint: true })
  if (opened.size > maxTextBytes) {
    throw new PatchError(
      `${asked} has ${opened.size} bytes; at most ${maxTextBytes} can be edited this way. Use a command such as sed.`,
    )
  }
  const bytes = await file.readFile()
  if (looksBinary(bytes)) throw new PatchError(`${asked} is a binary file and cannot be edited as text.`)
  return { bytes, version: versionOf(opened) }
}
