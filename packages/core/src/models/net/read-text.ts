/** A body as text, at most `maxBytes` of it; the rest is left unread. */
export async function readText(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of body) {
    pieces.push(piece.subarray(0, maxBytes - length))
    length += piece.length
    if (length >= maxBytes) break
  }
  return Buffer.concat(pieces).toString()
}
