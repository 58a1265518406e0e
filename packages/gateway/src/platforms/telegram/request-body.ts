import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import type { OutgoingHttpHeaders } from 'node:http'

/** A file of this machine as a parameter of a method. */
export class UploadedFile {
  readonly path: string
  constructor(path: string) {
    this.path = path
  }
}

export interface RequestBody {
  readonly headers: OutgoingHttpHeaders
  readonly body: string | Readable
}

/** JSON; with files among them the parameters go as a form, and the files are read while it is sent. */
export async function bodyOf(parameters: Readonly<Record<string, unknown>>): Promise<RequestBody> {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined)
  if (!given.some(([, value]) => value instanceof UploadedFile)) {
    const body = JSON.stringify(Object.fromEntries(given))
    return { headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }, body }
  }
  const boundary = `hermes-${randomUUID()}`
  const pieces: (Buffer | UploadedFile)[] = []
  let length = 0
  const say = (text: string) => {
    const bytes = Buffer.from(text)
    pieces.push(bytes)
    length += bytes.length
  }
  for (const [name, value] of given) {
    say(`--${boundary}\r\ncontent-disposition: form-data; name="${name}"`)
    if (value instanceof UploadedFile) {
      say(`; filename="${asFileName(value.path)}"\r\ncontent-type: application/octet-stream\r\n\r\n`)
      pieces.push(value)
      length += (await stat(value.path)).size
    } else say(`\r\n\r\n${typeof value === 'string' ? value : JSON.stringify(value)}`)
    say('\r\n')
  }
  say(`--${boundary}--\r\n`)
  const headers = { 'content-type': `multipart/form-data; boundary=${boundary}`, 'content-length': length }
  return { headers, body: Readable.from(contentOf(pieces)) }
}

/** The name as a form may carry it: https://html.spec.whatwg.org/#multipart-form-data */
function asFileName(path: string): string {
  return basename(path).replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

async function* contentOf(pieces: readonly (Buffer | UploadedFile)[]): AsyncGenerator<Buffer> {
  for (const piece of pieces) {
    if (piece instanceof UploadedFile) yield* createReadStream(piece.path) as AsyncIterable<Buffer>
    else yield piece
  }
}
