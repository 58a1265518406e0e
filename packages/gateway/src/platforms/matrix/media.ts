import { createReadStream } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { z } from 'zod'
import { PlatformError } from '../platform-error.ts'
import { apiPath } from './client.ts'
import type { MatrixCall, MatrixClient } from './client.ts'
import { decryptFile, encryptFile } from './crypto/attachments.ts'
import type { EncryptedFile } from './events.ts'
import { MatrixError } from './errors.ts'

const transferMs = 300_000

/** A file of a message: where it is, and how it is opened where it is encrypted. */
export type RemoteFile = { readonly url: string } | { readonly file: EncryptedFile }

/** Fetches a file that somebody sent. Throws `PlatformError`. */
export async function download(
  client: MatrixClient,
  remote: RemoteFile,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Buffer> {
  const url = 'file' in remote ? remote.file.url : remote.url
  const [, server, media] = /^mxc:\/\/([^/]+)\/([\w-]+)$/.exec(url) ?? []
  if (server === undefined || media === undefined) throw new PlatformError('refused', 'The file has no address.')
  const get = (path: string): MatrixCall => ({ method: 'GET', path, timeoutMs: transferMs })
  const read = (body: IncomingMessage) => readBytes(body, maxBytes)
  const bytes = await client
    .stream(get(apiPath`/client/v1/media/download/${server}/${media}`), read, signal)
    .catch((error: unknown) => {
      // Servers of before 2024 have it elsewhere.
      if (!(error instanceof MatrixError) || error.errcode !== 'M_UNRECOGNIZED') throw error
      return client.stream(get(apiPath`/media/v3/download/${server}/${media}`), read, signal)
    })
  if (!('file' in remote)) return bytes
  const opened = decryptFile(bytes, remote.file)
  if (!opened) throw new PlatformError('refused', 'The file is not what was sent.')
  return opened
}

async function readBytes(body: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    size += (chunk as Buffer).length
    if (size > maxBytes) throw new PlatformError('too-long', 'The file is too large.')
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks)
}

export interface FileToUpload {
  readonly path: string
  readonly size: number
  readonly mimeType: string
  readonly name: string
}

const uploaded = z.looseObject({ content_uri: z.string() })

/** Brings a file to the server, encrypted where the room is. Resolves to what a message says of it. */
export async function upload(
  client: MatrixClient,
  { path, size, mimeType, name }: FileToUpload,
  isEncrypted: boolean,
  signal: AbortSignal,
): Promise<RemoteFile> {
  const call = { method: 'POST', path: '/media/v3/upload', timeoutMs: transferMs } as const
  if (!isEncrypted) {
    const file = { bytes: createReadStream(path), size, mimeType }
    const { content_uri: url } = await client.call(
      uploaded,
      { ...call, query: { filename: name }, upload: file },
      signal,
    )
    return { url }
  }
  const secret = encryptFile(path)
  const file = { bytes: secret.bytes, size, mimeType: 'application/octet-stream' }
  const { content_uri: url } = await client.call(uploaded, { ...call, upload: file }, signal)
  return { file: secret.describe(url) }
}

const limits = z.looseObject({ 'm.upload.size': z.number().optional() })

/** Largest file that the server takes, bytes; undefined where it does not say. */
export async function uploadLimit(client: MatrixClient, signal: AbortSignal): Promise<number | undefined> {
  const answer = await client
    .call(limits, { method: 'GET', path: '/client/v1/media/config' }, signal)
    .catch((error: unknown) => {
      if (!(error instanceof MatrixError)) throw error
      return client.call(limits, { method: 'GET', path: '/media/v3/config' }, signal)
    })
  return answer['m.upload.size']
}
