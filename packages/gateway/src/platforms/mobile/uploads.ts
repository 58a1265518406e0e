import { randomBytes } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Home } from '@hermes/core/config/home.ts'
import type { Logger } from '@hermes/core/log/logger.ts'
import type { MobileErrorCode } from '@hermes/protocol/mobile/error-codes.ts'
import type { MobileClientFrame, MobileFrameOf } from '@hermes/protocol/mobile/types.ts'
import { freeBytes, isNoRoom, spareBytes } from '../../media/disk-room.ts'
import { decodedLength, decodePieces } from './base64-bytes.ts'
import { maxMediaBytes } from './say.ts'
import { openSpoolFile } from './spool-file.ts'
import type { SpoolFile } from './spool-file.ts'

type MediaFrame = MobileFrameOf<MobileClientFrame, 'media'>

/** Files of one device that may be under way, and how long one may wait for its next part, ms. */
const maxUploads = 8
const defaultWaitMs = 120_000

/** A part was not taken. The message is for the client. */
export class UploadError extends Error {
  override readonly name = 'UploadError'
  readonly code: MobileErrorCode

  constructor(code: MobileErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/** A file that is whole, in a place of ours: whoever takes it moves or removes it. */
export interface WholeUpload {
  readonly path: string
  readonly size: number
  /** Its first part that came with them tells its name and caption. */
  readonly frame: MediaFrame
}

/** Files that devices send in parts; nothing of them is held in memory. */
export interface Uploads {
  /** Takes a part, as base64. Resolves to the file when it was the last one missing. Throws `UploadError`. */
  take(deviceId: string, frame: MediaFrame, data: Buffer): Promise<WholeUpload | undefined>
  close(): Promise<void>
}

interface Upload {
  readonly deviceId: string
  readonly first: MediaFrame
  file: SpoolFile | undefined
  isRefused: boolean
  /** What describes the file, of any part. */
  told: Pick<MediaFrame, 'filename' | 'caption'>
  work: Promise<unknown>
  timer: NodeJS.Timeout
}

export interface UploadsOptions {
  readonly home: Home
  readonly log: Logger
  /** A file was given up, since its parts did not come. */
  readonly onLate: (deviceId: string, id: string) => void
  readonly waitMs?: number
  /** Bytes that may still be written in a folder, and how a file is opened there: others for tests. */
  readonly freeBytes?: (folder: string) => Promise<number>
  readonly openFile?: (path: string) => Promise<SpoolFile>
}

export async function openUploads(options: UploadsOptions): Promise<Uploads> {
  const { home, log, onLate, waitMs = defaultWaitMs, openFile = openSpoolFile } = options
  const roomIn = options.freeBytes ?? freeBytes
  const folder = home.path('cache', 'mobile', 'in')
  // Parts do not outlive the process: their clients send them again.
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const uploads = new Map<string, Upload>()
  const ids = (deviceId: string, id: string) => JSON.stringify([deviceId, id])

  function begin(key: string, deviceId: string, frame: MediaFrame): Upload {
    const own = [...uploads.values()].filter((one) => one.deviceId === deviceId)
    if (own.length >= maxUploads) throw new UploadError('rate_limited', `At most ${maxUploads} files at once`)
    const timer = setTimeout(() => giveUp(key, upload), waitMs).unref()
    const upload: Upload = {
      deviceId,
      first: frame,
      file: undefined,
      isRefused: false,
      told: {},
      work: Promise.resolve(),
      timer,
    }
    uploads.set(key, upload)
    return upload
  }

  function giveUp(key: string, upload: Upload): void {
    if (uploads.get(key) !== upload) return
    uploads.delete(key)
    end(upload)
      // A file that was refused is forgotten without a word.
      .then((hadFile) => hadFile && onLate(upload.deviceId, upload.first.id))
      .catch((error: unknown) => log.error({ error: String(error) }, 'parts of a file cannot be removed'))
  }

  /** Removes what has come, a part that is being written included. Resolves to whether there was anything. */
  async function end(upload: Upload): Promise<boolean> {
    clearTimeout(upload.timer)
    await upload.work.catch(() => undefined)
    const { file } = upload
    upload.file = undefined
    clearTimeout(upload.timer)
    await file?.discard()
    return file !== undefined
  }

  /** Its other parts are ignored from now on; a first part begins it anew. */
  async function refuse(upload: Upload, error: UploadError): Promise<never> {
    const { file } = upload
    upload.file = undefined
    upload.isRefused = true
    await file?.discard()
    throw error
  }

  async function add(key: string, upload: Upload, part: { readonly frame: MediaFrame; readonly data: Buffer }) {
    try {
      return await keep(key, upload, part)
    } catch (error) {
      if (!isNoRoom(error)) throw error
      log.error({ error: String(error) }, 'a file of a device has no room on the disk')
      return refuse(upload, noRoom(upload.first))
    }
  }

  async function keep(key: string, upload: Upload, { frame, data }: { frame: MediaFrame; data: Buffer }) {
    upload.timer.refresh()
    if (upload.isRefused) return undefined
    // As far as its first part tells: the parts of a file are of one length, but for the last.
    const ahead = upload.file ? decodedLength(data) : Math.min(maxMediaBytes, decodedLength(data) * frame.parts)
    if ((await roomIn(folder)) < ahead + spareBytes) return refuse(upload, noRoom(frame))
    const file = (upload.file ??= await openFile(join(folder, randomBytes(12).toString('hex'))))
    if (frame.parts !== upload.first.parts || frame.kind !== upload.first.kind) {
      return refuse(upload, new UploadError('media_incomplete', `${frame.id}: its parts do not fit each other`))
    }
    if (file.has(frame.part)) return undefined
    if (file.size + decodedLength(data) > maxMediaBytes) {
      return refuse(upload, new UploadError('too_big', `${frame.id}: a file has at most ${maxMediaBytes} bytes`))
    }
    const { filename, caption } = frame
    upload.told = { ...(filename && { filename }), ...(caption && { caption }), ...upload.told }
    await file.write(frame.part, decodePieces(data))
    if (file.parts < frame.parts) return undefined
    uploads.delete(key)
    clearTimeout(upload.timer)
    upload.file = undefined
    if (file.size === 0) {
      await file.discard()
      throw new UploadError('bad_frame', 'data: the file is empty')
    }
    return { path: await file.finish(), size: file.size, frame: { ...upload.first, ...upload.told } }
  }

  return {
    take(deviceId, frame, data) {
      const key = ids(deviceId, frame.id)
      const known = uploads.get(key)
      const isAnew = known?.isRefused && frame.part === 0
      if (isAnew) uploads.delete(key)
      const upload = known && !isAnew ? known : begin(key, deviceId, frame)
      if (isAnew) clearTimeout(known.timer)
      // Two connections of a device may send parts of the same file.
      const taken = upload.work.catch(() => undefined).then(() => add(key, upload, { frame, data }))
      upload.work = taken
      return taken
    },
    async close() {
      const all = [...uploads.values()]
      uploads.clear()
      await Promise.all(all.map(end))
    },
  }
}

function noRoom({ id }: MediaFrame): UploadError {
  return new UploadError('internal', `${id}: there is no room for the file on the agent's disk; send it again later`)
}
