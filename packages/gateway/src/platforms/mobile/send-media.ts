import { open } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import { encodeInto } from './base64-bytes.ts'
import type { MediaItem } from './delivery-log.ts'

/** Bytes of one part: far fewer than allowed, so that what else is said comes between them. A multiple of three. */
const partBytes = 384 * 1024

const dataEnd = '"}'
/** For the end, and for longer numbers in later frames. */
const spareBytes = 32

/**
 * Sends a file part by part, each when the one before has left: `send` resolves when the bytes may be overwritten. They are
 * always the same ones, so that a large file leaves nothing behind. One that is gone is left out.
 */
export async function sendMedia(
  { path, ...file }: MediaItem,
  send: (bytes: Uint8Array) => Promise<void>,
): Promise<void> {
  let handle: FileHandle
  try {
    handle = await open(path)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return
    throw error
  }
  try {
    const parts = Math.max(1, Math.ceil(file.size / partBytes))
    const buffer = Buffer.allocUnsafe(Math.min(partBytes, file.size))
    let bytes: Buffer | undefined
    for (let part = 0; part < parts; part++) {
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, part * partBytes)
      const rest = JSON.stringify({ ...file, part, parts, final: part === parts - 1 })
      const head = Buffer.from(`${rest.slice(0, -1)},"data":"`)
      // The last part's `final` is a letter shorter; another part has more digits.
      bytes ??= Buffer.allocUnsafe(head.length + Math.ceil(buffer.length / 3) * 4 + spareBytes)
      head.copy(bytes)
      const end = encodeInto(bytes, head.length, buffer.subarray(0, bytesRead))
      await send(bytes.subarray(0, end + bytes.write(dataEnd, end)))
    }
  } finally {
    await handle.close()
  }
}
