import type { FileHandle } from 'node:fs/promises'
import { TextDecoder } from 'node:util'

const chunkBytes = 64 * 1024

/** Bytes of one line that are kept; the rest of a longer line is passed over. */
const maxLineBytes = 8_192

/** Bytes read beyond the wanted lines to count all of them. */
const maxCountedBytes = 512 * 1024 * 1024

export interface LinePage {
  /** The wanted lines, without their ends. Bytes that are no UTF-8 are U+FFFD; long lines are cut at some 8,000 bytes. */
  readonly lines: readonly string[]
  /** Lines of the file; of a huge one at least so many. */
  readonly totalLines: number
  /** Whether the whole file was counted. */
  readonly isWhole: boolean
  /** Bytes read. */
  readonly bytes: number
}

/** In place of each line of a private key, whatever part of the file is asked for. */
export const hiddenKeyLine = '[private key: hidden]'

/** Lines from `offset` (from 1) on, `limit` of them; with `wanted` only those numbers of them, and nothing is counted. */
export interface LineRange {
  readonly offset: number
  readonly limit: number
  readonly wanted?: ReadonlySet<number>
}

/**
 * Some lines of a file and how many there are, in constant memory. `offset` counts from 1. The bodies of private keys
 * are left out: no pattern could tell them when a page begins in their middle.
 */
export async function readLines(
  file: FileHandle,
  { offset, limit, wanted }: LineRange,
  signal: AbortSignal,
): Promise<LinePage> {
  const lines: string[] = []
  const last = offset + limit - 1
  const isMeant = (number: number) => number >= offset && number <= last && wanted?.has(number) !== false
  const chunk = Buffer.allocUnsafe(chunkBytes)
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const key = createKeyTracker()
  let line = 1
  let bytes = 0
  let bytesAtPageEnd = 0
  /** What was read so far of a line that began in an earlier chunk. */
  let begun = Buffer.alloc(0)
  let hasBegun = false

  const finish = (content: Buffer, mayHoldKey: boolean): void => {
    const isHidden = mayHoldKey || key.inside ? key.next(content) : false
    if (isMeant(line)) lines.push(isHidden ? hiddenKeyLine : decodeLine(content, decoder, line))
    if (line <= last) bytesAtPageEnd = bytes
    line += 1
  }

  for (;;) {
    signal.throwIfAborted()
    const { bytesRead } = await file.read(chunk, 0, chunkBytes, null)
    bytes += bytesRead
    const data = chunk.subarray(0, bytesRead)
    const mayHoldKey = data.includes('PRIVATE KEY')
    let start = 0
    for (let end = data.indexOf(10); end !== -1; end = data.indexOf(10, start)) {
      const rest = data.subarray(start, end)
      if (hasBegun) finish(Buffer.concat([begun, rest.subarray(0, maxLineBytes)]), true)
      else finish(rest.subarray(0, maxLineBytes), mayHoldKey)
      hasBegun = false
      begun = Buffer.alloc(0)
      start = end + 1
    }
    if (start < bytesRead) {
      hasBegun = true
      begun = Buffer.concat([begun, data.subarray(start, start + Math.max(0, maxLineBytes - begun.length))])
    }
    const isEnd = bytesRead === 0
    if (isEnd && hasBegun) finish(begun, true)
    if (isEnd || (line > last && (wanted || bytes - bytesAtPageEnd > maxCountedBytes))) {
      return { lines, totalLines: line - 1, isWhole: isEnd, bytes }
    }
  }
}

function decodeLine(content: Buffer, decoder: TextDecoder, line: number): string {
  const end = content.at(-1) === 13 ? content.length - 1 : content.length
  const text = decoder.decode(content.subarray(0, Math.min(end, maxLineBytes)))
  return (line === 1 ? text.replace(/^\uFEFF/, '') : text).replaceAll('\0', '\uFFFD')
}

/** Follows a file line by line and says which ones are the body of a private key. */
function createKeyTracker() {
  let place: 'outside' | 'head' | 'body' = 'outside'
  return {
    get inside(): boolean {
      return place !== 'outside'
    },
    next(content: Buffer): boolean {
      const text = content.toString('latin1', 0, 400)
      if (/-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY/.test(text)) {
        place = text.includes('-----END') ? 'outside' : 'head'
        return false
      }
      if (place === 'outside') return false
      const kind = bodyLine(text)
      // A program that only names the marker goes on with code.
      if (kind === 'other' || (kind === 'short' && place === 'head')) place = 'outside'
      else if (kind === 'long') place = 'body'
      return kind === 'long' || (kind === 'short' && place === 'body')
    },
  }
}

/** A line of base64, also as a piece of a string in source code; an encrypted key's header counts as nothing. */
function bodyLine(text: string): 'long' | 'short' | 'empty' | 'other' {
  const plain = text.replaceAll(/\\[nr]|["'`,#*\s]/g, '')
  if (plain === '' || /^\s*[A-Z][A-Za-z-]{3,20}: \S/.test(text)) return 'empty'
  if (!/^[A-Za-z0-9+/=]+$/.test(plain)) return 'other'
  return plain.length >= 24 ? 'long' : 'short'
}
