/** Characters of base64 that are decoded at a time; a multiple of four. */
const pieceChars = 256 * 1024

/** Whether the bytes are base64 with padding, as a text has it. */
export function isBase64(data: Buffer): boolean {
  if (data.length % 4 !== 0) return false
  for (let at = 0; at < data.length; at += pieceChars) {
    const isLast = at + pieceChars >= data.length
    const piece = data.toString('latin1', at, at + pieceChars)
    if (!(isLast ? /^[A-Za-z0-9+/]*={0,2}$/ : /^[A-Za-z0-9+/]*$/).test(piece)) return false
  }
  return true
}

/** Length of what is encoded, bytes. */
export function decodedLength(data: Buffer): number {
  const padding = data.at(-1) === 0x3d ? (data.at(-2) === 0x3d ? 2 : 1) : 0
  return (data.length / 4) * 3 - padding
}

/** What is encoded, piece by piece, so that it is never there as a whole. */
export function* decodePieces(data: Buffer): Generator<Buffer> {
  for (let at = 0; at < data.length; at += pieceChars) {
    yield Buffer.from(data.toString('latin1', at, at + pieceChars), 'base64')
  }
}
