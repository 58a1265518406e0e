import { randomUUID } from 'node:crypto'
import { open, rename, rm } from 'node:fs/promises'
import { ServiceError } from './service-error.ts'
import { reasonIn } from './service-refusal.ts'

const maxAnswerBytes = 8 * 1024 * 1024

/** The text of an answer. Throws `ServiceError` `too-large`. */
export async function boundedText(response: Response, service: string, maxBytes = maxAnswerBytes): Promise<string> {
  const pieces: Uint8Array[] = []
  for await (const piece of bounded(response, maxBytes, service)) pieces.push(piece)
  return Buffer.concat(pieces).toString('utf8')
}

/** Where an answer goes that is a file. */
export interface DownloadTarget {
  /** Of a file that is to be, in a folder that is there. */
  readonly path: string
  readonly maxBytes: number
}

export interface DownloadedFile {
  readonly path: string
  readonly bytes: number
  /** As the service says, e.g. `audio/mpeg`; empty when it does not. */
  readonly contentType: string
}

/** Writes an answer into a file beside its place and moves it there when it is whole. */
export async function toFile(
  response: Response,
  { path, maxBytes }: DownloadTarget,
  { service, auth }: { readonly service: string; readonly auth?: { readonly key: string } | undefined },
  signal: AbortSignal,
): Promise<DownloadedFile> {
  const contentType = response.headers.get('content-type') ?? ''
  if (/^(?:application\/json|text\/)/i.test(contentType)) {
    const said = reasonIn(await boundedText(response, service), auth?.key)
    throw new ServiceError('malformed', `${service} sent no file but ${contentType}.${said && ` It says: ${said}`}`)
  }
  const partial = `${path}.${randomUUID()}.part`
  const file = await open(partial, 'wx', 0o600)
  let bytes = 0
  try {
    try {
      for await (const piece of bounded(response, maxBytes, service)) {
        await file.writeFile(piece)
        bytes += piece.byteLength
      }
    } finally {
      await file.close()
    }
    signal.throwIfAborted()
    if (bytes === 0) throw new ServiceError('malformed', `${service} sent an empty file.`)
    await rename(partial, path)
  } catch (error) {
    await rm(partial, { force: true })
    throw error
  }
  return { path, bytes, contentType }
}

async function* bounded(response: Response, maxBytes: number, service: string): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const piece of response.body ?? []) {
    bytes += piece.byteLength
    if (bytes > maxBytes) {
      throw new ServiceError('too-large', `The answer of ${service} is longer than ${maxBytes} bytes.`)
    }
    yield piece
  }
}
