import PostalMime from 'postal-mime'
import type { Attachment, Email } from 'postal-mime'
import type { MailHeaders } from './automated.ts'

/** A mail as it is read, with nothing believed yet. */
export interface ParsedMail {
  /** Plain text; that of HTML as Markdown. */
  readonly text: string
  readonly subject: string
  /** With angle brackets. */
  readonly messageId: string | undefined
  /** What it answers, oldest first. */
  readonly references: readonly string[]
  readonly attachments: readonly MailAttachment[]
  /** There were more parts than are kept. */
  readonly hasMore: boolean
}

export interface MailAttachment {
  readonly name: string | undefined
  readonly mimeType: string
  readonly bytes: Uint8Array
}

/** Bounds of what a mail may make us do. */
const limits = {
  /** Text that is kept, characters. */
  textChars: 200_000,
  /** Parts in parts, and mails in mails. */
  nesting: 30,
  mails: 3,
  headerBytes: 256 * 1024,
  /** HTML that is read, characters. */
  htmlChars: 150_000,
  /** Lines that look like the beginning of a part. */
  boundaries: 2_000,
  /** Lines, beside those that a file of its size has. */
  lines: 20_000,
  bytesPerLine: 60,
  attachments: 20,
  references: 30,
}

/** A mail cannot be read, and never will be. */
export class MailFormatError extends Error {
  override readonly name = 'MailFormatError'
}

/** Reads a mail. Throws `MailFormatError` for one that is broken, or made to break its reader. */
export async function parseMail(source: Uint8Array): Promise<ParsedMail> {
  if (hasMore(source, '\n--', limits.boundaries)) throw new MailFormatError('It has too many parts.')
  const maxLines = limits.lines + source.length / limits.bytesPerLine
  if (hasMore(source, '\n', maxLines)) throw new MailFormatError('It has too many lines.')
  try {
    return await parse(source)
  } catch (error) {
    throw new MailFormatError('It cannot be read.', { cause: error })
  }
}

async function parse(source: Uint8Array): Promise<ParsedMail> {
  const mail = await PostalMime.parse(source, {
    maxNestingDepth: limits.nesting,
    maxHeadersSize: limits.headerBytes,
    maxRfc822NestingDepth: limits.mails,
  })
  const attachments = mail.attachments.filter(({ mimeType }) => isFile(mimeType))
  return {
    text: await textOf(mail),
    subject: mail.subject ?? '',
    messageId: messageIds(mail.messageId)[0],
    references: [...new Set([...messageIds(mail.references), ...messageIds(mail.inReplyTo)])].slice(-limits.references),
    attachments: attachments.slice(0, limits.attachments).map(attachmentOf),
    hasMore: attachments.length > limits.attachments,
  }
}

/** The headers of a mail alone, up to its first empty line. Throws `MailFormatError`. */
export async function parseHeaders(source: Uint8Array): Promise<MailHeaders> {
  const bytes = bufferOf(source).subarray(0, limits.headerBytes)
  const end = /\r?\n\r?\n/.exec(bytes.toString('latin1'))
  const only = end ? bytes.subarray(0, end.index + end[0].length) : bytes
  try {
    const { headers } = await PostalMime.parse(only)
    return (name) => headers.flatMap(({ key, value }) => (key === name ? [value] : []))
  } catch (error) {
    throw new MailFormatError('Its headers cannot be read.', { cause: error })
  }
}

/** The ids of a header; what is none is left out. */
export function messageIds(header: string | undefined): readonly string[] {
  return (header ?? '').slice(0, 20_000).match(/<[^\s<>]{1,500}>/g) ?? []
}

async function textOf({ text, html }: Email): Promise<string> {
  const plain = (text ?? '').trim()
  if (plain !== '' || html === undefined) return cut(plain)
  const { visibleMarkdown } = await import('@hermes/core/web/readable-page.ts')
  return cut(await visibleMarkdown(html.slice(0, limits.htmlChars), 'https://mail.invalid/'))
}

function cut(text: string): string {
  if (text.length <= limits.textChars) return text.toWellFormed()
  return `${text.slice(0, limits.textChars).toWellFormed()}\n[The rest of the mail is left out: it is too long.]`
}

function attachmentOf({ filename, mimeType, content }: Attachment): MailAttachment {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : new Uint8Array(content)
  return { name: filename ?? undefined, mimeType, bytes }
}

/** Signatures of the whole mail are no files to a person. */
function isFile(mimeType: string): boolean {
  return !/^application\/(?:pgp-signature|(?:x-)?pkcs7-signature)$/.test(mimeType)
}

/** Whether `mark` is in it more than `most` times. */
function hasMore(source: Uint8Array, mark: string, most: number): boolean {
  const bytes = bufferOf(source)
  let count = 0
  for (let at = bytes.indexOf(mark); at >= 0 && count <= most; at = bytes.indexOf(mark, at + mark.length)) count++
  return count > most
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}
