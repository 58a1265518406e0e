import { extname } from 'node:path'
import { openChecked } from '../../security/file-safety.ts'
import type { CheckedPath } from '../../security/file-safety.ts'
import { kindByName, looksBinary } from '../../tools/file-kind.ts'
import { readLines } from '../../tools/read-lines.ts'
import { allowedPath } from './allowed-path.ts'
import { AttachmentError, fenced, maxAttachmentBytes } from './attachment.ts'
import type { Attachment, AttachmentSources } from './attachment.ts'
import { refuseSteering } from './refuse-steering.ts'
import type { Reference } from './reference.ts'

/** Most lines that a range can have. */
const maxLines = 50_000

/** A file, or lines of it. */
export async function attachFile({ value, lines }: Reference, sources: AttachmentSources): Promise<Attachment> {
  const checked = await allowedPath(value, sources)
  if (checked.stats?.isDirectory()) throw new AttachmentError('wrong-kind', 'it is a folder; write @folder:')
  if (kindByName(checked.path) !== 'text') throw binary()
  const text = lines ? await someLines(checked, lines, sources.signal) : await wholeText(checked)
  refuseSteering(text, isProse(checked.path) ? 'context' : 'code')
  return { icon: '📄', text: fenced(sources.redactor.redact(text), languageOf(checked.path)) }
}

async function wholeText(checked: CheckedPath): Promise<string> {
  const size = Number(checked.stats?.size ?? 0n)
  if (size > maxAttachmentBytes) {
    throw new AttachmentError('too-large', `it has ${size} bytes; name lines of it (:FIRST-LAST)`)
  }
  await using file = await openChecked(checked)
  const bytes = await file.readFile()
  if (looksBinary(bytes)) throw binary()
  return bytes
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .replaceAll('\r\n', '\n')
}

async function someLines(
  checked: CheckedPath,
  { first, last }: NonNullable<Reference['lines']>,
  signal: AbortSignal,
): Promise<string> {
  if (first < 1 || last < first) throw new AttachmentError('lines', 'lines count from 1, the first before the last')
  if (last - first >= maxLines) throw new AttachmentError('too-large', `a range has at most ${maxLines} lines`)
  await using file = await openChecked(checked)
  const page = await readLines(file, { offset: first, limit: last - first + 1 }, signal)
  if (page.lines.length === 0) throw new AttachmentError('lines', `it has only ${page.totalLines} lines`)
  const text = page.lines.join('\n')
  if (looksBinary(Buffer.from(text.slice(0, 2_000)))) throw binary()
  return text
}

function isProse(path: string): boolean {
  return ['', '.md', '.mdc', '.mdx', '.markdown', '.txt', '.rst'].includes(extname(path).toLowerCase())
}

function languageOf(path: string): string {
  return /^\.([a-z0-9]{1,10})$/i.exec(extname(path))?.[1]?.toLowerCase() ?? ''
}

function binary(): AttachmentError {
  return new AttachmentError('wrong-kind', 'it is no text file')
}
