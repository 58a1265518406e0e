/** How the kinds of image begin, by their media types. */
const signatures: readonly (readonly [mediaType: string, begins: (bytes: Buffer) => boolean])[] = [
  ['image/png', (bytes) => bytes.subarray(0, 8).equals(Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'))],
  ['image/jpeg', (bytes) => bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff],
  ['image/gif', (bytes) => /^GIF8[79]a/.test(latin(bytes, 0, 6))],
  ['image/webp', (bytes) => latin(bytes, 0, 4) === 'RIFF' && latin(bytes, 8, 12) === 'WEBP'],
  // The two letters alone begin many texts; the four bytes behind the file's size are always zero.
  ['image/bmp', (bytes) => latin(bytes, 0, 2) === 'BM' && bytes.length > 26 && bytes.readUInt32LE(6) === 0],
  ['image/svg+xml', isSvg],
]

/** The media type that an image's bytes say, whatever its name; undefined for what is no image of a known kind. */
export function imageType(bytes: Buffer): string | undefined {
  return signatures.find(([, begins]) => begins(bytes))?.[0]
}

const svgSampleBytes = 4_096

/** An `<svg` behind nothing but a declaration, comments and a document type. */
function isSvg(bytes: Buffer): boolean {
  const start = bytes
    .subarray(0, svgSampleBytes)
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trimStart()
  if (!start.startsWith('<')) return false
  const found = start.search(/<svg[\s>]/i)
  return found >= 0 && !/<(?!\?|!)/.test(start.slice(0, found).replaceAll(/<!--[\s\S]*?-->/g, ''))
}

function latin(bytes: Buffer, from: number, to: number): string {
  return bytes.toString('latin1', from, to)
}
