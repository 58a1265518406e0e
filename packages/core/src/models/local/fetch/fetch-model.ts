import { createHash } from 'node:crypto'
import type { Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, readFile, rename, rm, stat, statfs, writeFile } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { z } from 'zod'
import { withFileLock } from '../../../storage/file-lock.ts'
import { ModelError } from '../../model-error.ts'
import type { HttpClient } from '../../net/http-client.ts'
import { sleep } from '../../retry.ts'
import { readGgufHeader } from '../gguf-header.ts'
import { openFile } from './remote-file.ts'
import type { RemoteFile } from './remote-file.ts'
import { fromTransport } from './transport-failure.ts'

export interface FetchOptions {
  readonly http: HttpClient
  /** Told how many bytes are there; the first time, those of an earlier try. */
  readonly onProgress: (bytes: number) => void
  /** How long to wait before a broken connection is taken up again, ms. */
  readonly retryAfterMs?: number
}

/** Times in a row that a connection may break without bringing a byte. */
const mostFailures = 4

/**
 * Fetches a model file to `path`, which is there only when it is whole and checked. What has come stays beside it as
 * `.part`, also when it is stopped, and is gone on with the next time. Throws `ModelError`, or the reason of the signal.
 */
export async function fetchModel(
  file: RemoteFile,
  path: string,
  options: FetchOptions,
  signal: AbortSignal,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await withFileLock(path, () => fetchLocked(file, path, options, signal), { signal })
}

async function fetchLocked(file: RemoteFile, path: string, options: FetchOptions, signal: AbortSignal): Promise<void> {
  const part = `${path}.part`
  const begun = await resumable(file, path)
  await refuseWithoutRoom(dirname(path), file.bytes - begun)
  const hash = createHash('sha256')
  if (begun > 0) for await (const bytes of createReadStream(part, { signal })) hash.update(bytes)
  const handle = await open(part, begun > 0 ? 'r+' : 'w', 0o600)
  let digest: string
  try {
    digest = await receive(file, { handle, hash, at: begun }, options, signal)
    await handle.sync()
  } finally {
    await handle.close()
  }
  if (file.sha256 !== undefined && digest !== file.sha256) {
    await discard(path)
    const message = `${file.source.fileName} is not the file that its server describes (another SHA-256). It was removed; try again.`
    throw new ModelError('malformed-stream', message)
  }
  try {
    await readGgufHeader(part)
  } catch (error) {
    await discard(path)
    throw error
  }
  await rename(part, path)
  await rm(`${part}.json`, { force: true })
}

async function discard(path: string): Promise<void> {
  await rm(`${path}.part`, { force: true })
  await rm(`${path}.part.json`, { force: true })
}

const begunSchema = z.object({ url: z.string(), bytes: z.number(), version: z.string().optional() })

/** How many bytes of this very file are there already. Notes which file it is, for the next time. */
async function resumable({ source, bytes, version }: RemoteFile, path: string): Promise<number> {
  const note = `${path}.part.json`
  const now = { url: source.url, bytes, ...(version !== undefined && { version }) }
  const earlier = await readNote(note)
  const size = (await stat(`${path}.part`).catch(() => undefined))?.size ?? 0
  const isSame =
    earlier?.bytes === bytes && (version === undefined ? earlier.url === now.url : earlier.version === version)
  if (isSame && size <= bytes) return size
  await discard(path)
  await writeFile(note, JSON.stringify(now), { mode: 0o600 })
  return 0
}

async function readNote(path: string): Promise<z.infer<typeof begunSchema> | undefined> {
  try {
    return begunSchema.parse(JSON.parse(await readFile(path, 'utf8')))
  } catch {
    // Missing or cut off: it is begun anew.
    return undefined
  }
}

async function refuseWithoutRoom(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  const free = bavail * bsize
  if (free >= bytes) return
  const gigabytes = (count: number): string => `${(count / 1e9).toFixed(1)} GB`
  throw new ModelError('invalid-request', `${folder} has ${gigabytes(free)} of room; ${gigabytes(bytes)} are needed.`)
}

interface Receiving {
  readonly handle: FileHandle
  hash: Hash
  at: number
}

/** Receives what is missing, over as many connections as it takes; resolves to the checksum. */
async function receive(
  file: RemoteFile,
  receiving: Receiving,
  { http, onProgress, retryAfterMs = 1000 }: FetchOptions,
  signal: AbortSignal,
): Promise<string> {
  onProgress(receiving.at)
  let failures = 0
  while (receiving.at < file.bytes) {
    const before = receiving.at
    try {
      await receiveOnce(file, receiving, { http, onProgress }, signal)
    } catch (error) {
      signal.throwIfAborted()
      const failure = fromTransport(error)
      failures = receiving.at > before ? 1 : failures + 1
      if (!(failure instanceof ModelError) || failure.code !== 'network' || failures > mostFailures) throw failure
      await sleep(retryAfterMs * failures, signal)
    }
  }
  return receiving.hash.digest('hex')
}

async function receiveOnce(
  file: RemoteFile,
  receiving: Receiving,
  { http, onProgress }: Pick<FetchOptions, 'http' | 'onProgress'>,
  signal: AbortSignal,
): Promise<void> {
  const { response, headers } = await openFile(file.source, { http, from: receiving.at }, signal)
  try {
    // A server may answer with all of it, whatever part it was asked for.
    if (response.status === 200 || !headers['content-range']?.startsWith(`bytes ${receiving.at}-`)) {
      if (response.status === 206) throw new ModelError('malformed-stream', 'The server sent another part of the file.')
      receiving.at = 0
      receiving.hash = createHash('sha256')
      await receiving.handle.truncate(0)
    }
    for await (const bytes of response.body) {
      if (receiving.at + bytes.length > file.bytes) {
        throw new ModelError('malformed-stream', `${file.source.fileName} is longer than its server said.`)
      }
      await receiving.handle.write(bytes, 0, bytes.length, receiving.at)
      receiving.hash.update(bytes)
      receiving.at += bytes.length
      onProgress(receiving.at)
    }
    if (receiving.at < file.bytes) throw new ModelError('network', 'The connection ended before the file did.')
  } finally {
    response.release()
  }
}
