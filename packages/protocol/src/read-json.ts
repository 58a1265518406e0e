/** What a frame holds, before its schema is looked at. */
export type JsonReading =
  | { readonly kind: 'too-large'; readonly bytes: number }
  | { readonly kind: 'not-json' }
  | { readonly kind: 'not-object' }
  | { readonly kind: 'object'; readonly value: Readonly<Record<string, unknown>> }

/** Reads one frame as a JSON object. Never throws. */
export function readJson(frame: string | Uint8Array, maxBytes: number): JsonReading {
  const bytes = typeof frame === 'string' ? utf8Length(frame, maxBytes) : frame.byteLength
  if (bytes > maxBytes) return { kind: 'too-large', bytes }
  let value: unknown
  try {
    value = JSON.parse(typeof frame === 'string' ? frame : new TextDecoder('utf-8', { fatal: true }).decode(frame))
  } catch {
    // Neither syntax errors nor wrong UTF-8 say more than this.
    return { kind: 'not-json' }
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { kind: 'not-object' }
  return { kind: 'object', value: value as Record<string, unknown> }
}

/** Bytes of a text in UTF-8; counted only where its length leaves it open whether it fits. */
function utf8Length(text: string, maxBytes: number): number {
  if (text.length > maxBytes) return text.length
  if (text.length * 3 <= maxBytes) return text.length
  let bytes = 0
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (code < 0x80) bytes += 1
    else if (code < 0x800) bytes += 2
    // Either half of a surrogate pair stands for two of its four bytes.
    else bytes += code >= 0xd800 && code <= 0xdfff ? 2 : 3
  }
  return bytes
}
