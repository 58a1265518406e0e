import type { MobileFrameOf, MobileServerFrame } from '@hermes/protocol/mobile/types.ts'
import { fromBase64 } from './base64.ts'
import type { MediaMessage } from './types.ts'

type MediaFrame = MobileFrameOf<MobileServerFrame, 'media'>

/** Most that parts of unfinished files hold together, bytes; the oldest file goes first. */
const maxBytes = 256 * 1024 * 1024
const maxParts = 10_000

interface Unfinished {
  readonly parts: (Uint8Array | undefined)[]
  missing: number
  bytes: number
}

/** Puts files together from their parts, which may come in any order and more than once. */
export interface Assembly {
  /** The whole file, when this was its last part. */
  add(frame: MediaFrame): MediaMessage | undefined
  /** Forgets what is unfinished: after a reconnect it comes anew. */
  clear(): void
}

export function createAssembly(): Assembly {
  const files = new Map<string, Unfinished>()
  let held = 0
  const drop = (id: string) => {
    held -= files.get(id)?.bytes ?? 0
    files.delete(id)
  }
  return {
    add(frame) {
      const { id, part, parts } = frame
      const isPart = Number.isInteger(part) && Number.isInteger(parts) && part >= 0 && part < parts
      if (!isPart || parts > maxParts) return undefined
      const present = files.get(id)
      const file =
        present?.parts.length === parts
          ? present
          : { parts: Array.from<undefined>({ length: parts }), missing: parts, bytes: 0 }
      if (present && file !== present) drop(id)
      files.set(id, file)
      if (file.parts[part] === undefined) {
        const bytes = fromBase64(frame.data)
        file.parts[part] = bytes
        file.missing--
        file.bytes += bytes.length
        held += bytes.length
      }
      if (file.missing === 0) {
        drop(id)
        return whole(frame, file)
      }
      for (const oldest of files.keys()) {
        if (held <= maxBytes) break
        drop(oldest)
      }
      return undefined
    },
    clear() {
      files.clear()
      held = 0
    },
  }
}

function whole(frame: MediaFrame, { parts, bytes }: Unfinished): MediaMessage {
  const data = new Uint8Array(bytes)
  let at = 0
  for (const part of parts) {
    data.set(part ?? [], at)
    at += part?.length ?? 0
  }
  return {
    id: frame.id,
    kind: frame.kind,
    data,
    mime: frame.mime,
    filename: frame.filename ?? '',
    caption: frame.caption ?? '',
    size: frame.size,
    url: frame.url ?? '',
    replyTo: frame.reply_to ?? '',
  }
}
