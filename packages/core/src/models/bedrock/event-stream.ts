import { crc32 } from 'node:zlib'
import type { Fields } from '../wire/json-fields.ts'
import { parseFields } from '../wire/json-fields.ts'

/** One message of Amazon's event-stream framing. */
export interface EventMessage {
  /** Those that are texts. */
  readonly headers: ReadonlyMap<string, string>
  /** Undefined when it is no JSON object. */
  readonly payload: Fields | undefined
}

/** The bytes are no event stream. */
export class EventStreamError extends Error {
  override readonly name = 'EventStreamError'
}

/** Longest message: the format's limit. */
const maxMessageBytes = 24 * 1024 * 1024

const preludeBytes = 12
const trailerBytes = 4

/** Takes bytes, cut anywhere, and returns the messages that they complete. Throws `EventStreamError`. */
export function createEventStreamDecoder(): (bytes: Uint8Array) => Generator<EventMessage> {
  let rest: Buffer = Buffer.alloc(0)
  return function* (bytes) {
    rest = rest.length === 0 ? Buffer.from(bytes) : Buffer.concat([rest, bytes])
    while (rest.length >= preludeBytes) {
      const length = rest.readUInt32BE(0)
      if (crc32(rest.subarray(0, 8)) !== rest.readUInt32BE(8)) throw new EventStreamError('a prelude is damaged')
      if (length > maxMessageBytes || length < preludeBytes + trailerBytes) {
        throw new EventStreamError(`a message of ${length} bytes`)
      }
      if (rest.length < length) return
      const message = rest.subarray(0, length)
      rest = rest.subarray(length)
      yield decode(message)
    }
  }
}

/** https://docs.aws.amazon.com/transcribe/latest/dg/streaming-setting-up.html#streaming-event-stream */
function decode(message: Buffer): EventMessage {
  const end = message.length - trailerBytes
  if (crc32(message.subarray(0, end)) !== message.readUInt32BE(end)) throw new EventStreamError('a message is damaged')
  const headersEnd = preludeBytes + message.readUInt32BE(4)
  if (headersEnd > end) throw new EventStreamError('headers reach out of their message')
  return {
    headers: headersOf(message.subarray(preludeBytes, headersEnd)),
    payload: parseFields(message.toString('utf8', headersEnd, end)),
  }
}

/** Bytes of a header's value by its type; texts and byte strings tell their own. */
const valueBytes: Readonly<Record<number, number>> = { 0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16 }

function headersOf(bytes: Buffer): ReadonlyMap<string, string> {
  const headers = new Map<string, string>()
  for (let at = 0; at < bytes.length;) {
    const nameEnd = at + 1 + bytes.readUInt8(at)
    const name = bytes.toString('utf8', at + 1, nameEnd)
    const type = bytes.readUInt8(nameEnd)
    const isCounted = type === 6 || type === 7
    const start = nameEnd + (isCounted ? 3 : 1)
    const length = isCounted ? bytes.readUInt16BE(nameEnd + 1) : valueBytes[type]
    if (length === undefined) throw new EventStreamError(`a header of unknown type ${type}`)
    if (type === 7) headers.set(name, bytes.toString('utf8', start, start + length))
    at = start + length
  }
  return headers
}
