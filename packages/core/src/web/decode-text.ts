/** Text in the encoding that its mark, its content type or its own head names; UTF-8 otherwise. */
export function decodeText(bytes: Uint8Array, contentType: string): string {
  const named = /charset\s{0,9}=\s{0,9}["']?([\w.:-]{1,40})/i
  const head = Buffer.from(bytes.subarray(0, 2_048)).toString('latin1')
  const inHead = /<meta[^>]{0,300}?charset\s{0,9}=\s{0,9}["']?([\w.:-]{1,40})/i.exec(head)
  const inXml = /^<\?xml[^>]{0,200}?encoding\s{0,9}=\s{0,9}["']([\w.:-]{1,40})/i.exec(head)
  return decoder(markOf(bytes) ?? named.exec(contentType)?.[1] ?? inHead?.[1] ?? inXml?.[1] ?? 'utf-8').decode(bytes)
}

function markOf(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 'utf-8' : undefined
}

function decoder(label: string) {
  try {
    return new TextDecoder(label)
  } catch (error) {
    if (error instanceof RangeError) return new TextDecoder()
    throw error
  }
}
