import { allowedPath } from './allowed-path.ts'
import { AttachmentError, fenced } from './attachment.ts'
import type { Attachment, AttachmentSources } from './attachment.ts'
import { listFiles } from './list-files.ts'
import type { Reference } from './reference.ts'

/** Most files that are named. */
const maxEntries = 200

const timeoutMs = 10_000

/** The names of a folder's files. */
export async function attachFolder({ value }: Reference, sources: AttachmentSources): Promise<Attachment> {
  const { path, stats } = await allowedPath(value, sources)
  if (!stats?.isDirectory()) throw new AttachmentError('wrong-kind', 'it is a file; write @file:')
  const { files, isCut } = await listFiles(path, { ...sources, limit: maxEntries, timeoutMs })
  const lines = [...files].sort()
  if (lines.length === 0) lines.push('(no files)')
  if (isCut) lines.push('(and more)')
  return { icon: '📁', text: fenced(lines.join('\n')) }
}
