import { open } from 'node:fs/promises'
import type { FileHandle } from 'node:fs/promises'
import type { MobileServerFrame } from '@hermes/protocol/mobile/types.ts'
import type { MediaItem } from './delivery-log.ts'

/** Bytes of one part: far fewer than allowed, since each is there several times over on its way. A multiple of three. */
const partBytes = 384 * 1024

/** Sends a file part by part, each when the one before has left. One that is gone is left out. */
export async function sendMedia(
  { path, ...file }: MediaItem,
  send: (frame: MobileServerFrame) => Promise<void>,
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
    for (let part = 0; part < parts; part++) {
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, part * partBytes)
      const data = buffer.toString('base64', 0, bytesRead)
      await send({ ...file, data, part, parts, final: part === parts - 1 })
    }
  } finally {
    await handle.close()
  }
}
