import type { MobileErrorCode } from '@hermes/protocol/mobile/error-codes.ts'
import { parseMobileClientFrame } from '@hermes/protocol/mobile/parse-frame.ts'
import type { MobileClientFrame } from '@hermes/protocol/mobile/types.ts'
import { isBase64 } from './base64-bytes.ts'
import { liftData, liftedData } from './lift-data.ts'

/** Frames of fewer bytes are read as they are. */
const largeBytes = 32 * 1024

const none = Buffer.alloc(0)

export type FrameReading =
  /** `data`: base64 of a `media` or `audio`, whose own `data` is then meaningless. */
  | { readonly ok: true; readonly frame: MobileClientFrame; readonly data: Buffer }
  | { readonly ok: false; readonly code: MobileErrorCode; readonly message: string }

/** Reads a frame of a device. Never throws. */
export function readFrame(bytes: Buffer): FrameReading {
  const lifted = bytes.length < largeBytes ? undefined : liftData(bytes)
  const parsed = parseMobileClientFrame(lifted?.frame ?? bytes)
  if (!parsed.ok) return parsed
  const { frame } = parsed
  if (frame.t !== 'media' && frame.t !== 'audio') return { ...parsed, data: none }
  // A second `data` in the frame wins, as in any JSON.
  const isLifted = lifted !== undefined && frame.data === liftedData
  if (!isLifted) return { ...parsed, data: Buffer.from(frame.data, 'latin1') }
  if (!isBase64(lifted.data)) return { ok: false, code: 'bad_frame', message: 'data: is no base64' }
  return { ...parsed, data: lifted.data }
}
