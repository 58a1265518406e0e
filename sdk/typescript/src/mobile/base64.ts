/** Characters that one call takes; more overflow its stack. */
const pieceBytes = 0x6000

/** Base64 of some bytes, in Node and in browsers. */
export function toBase64(bytes: Uint8Array): string {
  let text = ''
  // A multiple of three, so that only the last piece is padded.
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    text += btoa(String.fromCharCode(...bytes.subarray(at, at + pieceBytes)))
  }
  return text
}

/** Bytes of base64. Throws `DOMException` where it is none. */
export function fromBase64(text: string): Uint8Array {
  const binary = atob(text)
  const bytes = new Uint8Array(binary.length)
  for (let at = 0; at < binary.length; at++) bytes[at] = binary.charCodeAt(at)
  return bytes
}
