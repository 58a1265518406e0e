import { firstIssue } from '../first-issue.ts'
import { readJson } from '../read-json.ts'
import { withoutNulls } from '../without-nulls.ts'
import { mobileClientFrame } from './client-frames.ts'
import { MAX_FRAME_BYTES } from './constants.ts'
import type { MobileErrorCode } from './error-codes.ts'
import { mobileServerFrame } from './server-frames.ts'
import type { MobileClientFrame, MobileServerFrame } from './types.ts'

export type ParsedMobileFrame<Frame> =
  | { readonly ok: true; readonly frame: Frame }
  | { readonly ok: false; readonly code: MobileErrorCode; readonly message: string }

/** Reads a frame of a device: the frame, or what the server answers (`too_big`, `bad_frame`, `unsupported_frame`). */
export function parseMobileClientFrame(frame: string | Uint8Array): ParsedMobileFrame<MobileClientFrame> {
  return parseFrame(frame, mobileClientFrame, withoutNulls)
}

/** Reads a frame of the server. A client ignores `unsupported_frame`. */
export function parseMobileServerFrame(frame: string | Uint8Array): ParsedMobileFrame<MobileServerFrame> {
  return parseFrame(frame, mobileServerFrame)
}

type FrameSchema = typeof mobileClientFrame | typeof mobileServerFrame
type OutputOf<Schema extends FrameSchema> = Schema['_zod']['output']

function parseFrame<Schema extends FrameSchema>(
  frame: string | Uint8Array,
  schema: Schema,
  tidied: (value: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>> = (value) => value,
): ParsedMobileFrame<OutputOf<Schema>> {
  const reading = readJson(frame, MAX_FRAME_BYTES)
  if (reading.kind === 'too-large') {
    return { ok: false, code: 'too_big', message: `A frame has at most ${MAX_FRAME_BYTES} bytes` }
  }
  if (reading.kind !== 'object') return { ok: false, code: 'bad_frame', message: 'A frame is one JSON object' }
  const { t } = reading.value
  if (typeof t !== 'string') return { ok: false, code: 'bad_frame', message: 't: a frame names its kind' }
  if (!knownKinds(schema).includes(t)) {
    return { ok: false, code: 'unsupported_frame', message: 'There is no frame of this kind' }
  }
  const parsed = schema.safeParse(tidied(reading.value))
  if (!parsed.success) return { ok: false, code: 'bad_frame', message: firstIssue(parsed.error) }
  return { ok: true, frame: parsed.data }
}

function knownKinds(schema: FrameSchema): readonly string[] {
  return schema.options.map((option) => option.shape.t.value)
}
