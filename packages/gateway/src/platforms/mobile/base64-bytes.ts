// Megabytes of base64 arrive as bytes. Made into text for Node's own decoder they would be garbage of several times their
// size with each part of a file, so that they are decoded from bytes to bytes, into one buffer again and again.

/** Bytes that are decoded at a time; a multiple of three. */
const pieceBytes = 192 * 1024

const invalid = 0x40

const padding = 0x3d

const values = new Uint8Array(256).fill(invalid)
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const digits = Buffer.from(alphabet, 'latin1')
for (let at = 0; at < alphabet.length; at++) values[alphabet.charCodeAt(at)] = at

/** Encodes some bytes into others, from `start` on. Returns the place behind them. */
export function encodeInto(target: Uint8Array, start: number, data: Uint8Array): number {
  const whole = data.length - (data.length % 3)
  let to = start
  for (let at = 0; at < whole; at += 3, to += 4) {
    const bits = ((data[at] ?? 0) << 16) | ((data[at + 1] ?? 0) << 8) | (data[at + 2] ?? 0)
    target[to] = digits[bits >> 18] ?? 0
    target[to + 1] = digits[(bits >> 12) & 63] ?? 0
    target[to + 2] = digits[(bits >> 6) & 63] ?? 0
    target[to + 3] = digits[bits & 63] ?? 0
  }
  if (whole === data.length) return to
  const bits = ((data[whole] ?? 0) << 16) | ((data[whole + 1] ?? 0) << 8)
  target[to] = digits[bits >> 18] ?? 0
  target[to + 1] = digits[(bits >> 12) & 63] ?? 0
  target[to + 2] = data.length - whole === 2 ? (digits[(bits >> 6) & 63] ?? 0) : padding
  target[to + 3] = padding
  return to + 4
}

/** Whether the bytes are base64 with padding, as a text has it. */
export function isBase64(data: Uint8Array): boolean {
  if (data.length % 4 !== 0) return false
  const end = data.length - paddingOf(data)
  let seen = 0
  for (let at = 0; at < end; at++) seen |= valueAt(data, at)
  return (seen & invalid) === 0
}

/** Length of what is encoded, bytes. */
export function decodedLength(data: Uint8Array): number {
  return (data.length / 4) * 3 - paddingOf(data)
}

/**
 * What is encoded, piece by piece, so that it is never there as a whole. A piece holds until the next one is asked for. The
 * data must be base64.
 */
export function* decodePieces(data: Uint8Array): Generator<Buffer> {
  const length = decodedLength(data)
  const piece = Buffer.allocUnsafe(Math.min(pieceBytes, Math.ceil(length / 3) * 3))
  for (let start = 0; start < length; start += pieceBytes) {
    const size = Math.min(pieceBytes, length - start)
    let from = (start / 3) * 4
    for (let to = 0; to < size; to += 3, from += 4) {
      const bits =
        (valueAt(data, from) << 18) |
        (valueAt(data, from + 1) << 12) |
        ((valueAt(data, from + 2) & 63) << 6) |
        (valueAt(data, from + 3) & 63)
      piece[to] = bits >> 16
      piece[to + 1] = bits >> 8
      piece[to + 2] = bits
    }
    yield piece.subarray(0, size)
  }
}

function valueAt(data: Uint8Array, at: number): number {
  return values[data[at] ?? 0] ?? invalid
}

function paddingOf(data: Uint8Array): number {
  if (data.at(-1) !== padding) return 0
  return data.at(-2) === padding ? 2 : 1
}
