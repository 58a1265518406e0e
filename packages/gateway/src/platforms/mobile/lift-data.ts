// A part of a file comes as megabytes of base64 in a JSON text. As a whole it would be there four times over (bytes, text,
// parsed value, decoded bytes), so that the value of `data` is taken out of the bytes before the rest is parsed.

/** Stands where the data were; valid base64 that is not empty. */
export const liftedData = 'AAAA'

const [quote, backslash, openBrace, closeBrace, openBracket, closeBracket, comma, colon] = [
  0x22, 0x5c, 0x7b, 0x7d, 0x5b, 0x5d, 0x2c, 0x3a,
]

export interface LiftedFrame {
  /** The frame with `liftedData` in place of its data. */
  readonly frame: Buffer
  /** What stood there, as it came. */
  readonly data: Buffer
}

/**
 * Takes the text of the topmost `data` out of a JSON object. Undefined where there is none, or one with escapes: then the
 * frame is to be read as any other. What is wrong with the rest its parser will find.
 */
export function liftData(bytes: Buffer): LiftedFrame | undefined {
  let at = skipSpace(bytes, 0)
  if (bytes[at] !== openBrace) return undefined
  for (at = skipSpace(bytes, at + 1); bytes[at] === quote; at = skipSpace(bytes, at + 1)) {
    const keyEnd = stringEnd(bytes, at)
    if (keyEnd === undefined) return undefined
    const isData = bytes.toString('latin1', at + 1, keyEnd) === 'data'
    at = skipSpace(bytes, keyEnd + 1)
    if (bytes[at] !== colon) return undefined
    at = skipSpace(bytes, at + 1)
    if (isData && bytes[at] === quote) return lifted(bytes, at + 1)
    const end = valueEnd(bytes, at)
    if (end === undefined) return undefined
    at = skipSpace(bytes, end)
    if (bytes[at] !== comma) return undefined
  }
  return undefined
}

function lifted(bytes: Buffer, start: number): LiftedFrame | undefined {
  const end = bytes.indexOf(quote, start)
  const data = bytes.subarray(start, end)
  if (end < 0 || data.includes(backslash)) return undefined
  return { frame: Buffer.concat([bytes.subarray(0, start), Buffer.from(liftedData), bytes.subarray(end)]), data }
}

function skipSpace(bytes: Buffer, from: number): number {
  let at = from
  while (bytes[at] === 0x20 || bytes[at] === 0x0a || bytes[at] === 0x0d || bytes[at] === 0x09) at++
  return at
}

/** Place of the quote that ends the string which begins here. */
function stringEnd(bytes: Buffer, start: number): number | undefined {
  for (let at = start + 1; at < bytes.length; at++) {
    if (bytes[at] === backslash) at++
    else if (bytes[at] === quote) return at
  }
  return undefined
}

/** The place behind a value. */
function valueEnd(bytes: Buffer, start: number): number | undefined {
  let depth = 0
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === quote) {
      const end = stringEnd(bytes, at)
      if (end === undefined) return undefined
      at = end
      if (depth === 0) return at + 1
    } else if (byte === openBrace || byte === openBracket) depth++
    else if (byte === closeBrace || byte === closeBracket) {
      if (depth === 0) return at
      depth--
      if (depth === 0) return at + 1
    } else if (byte === comma && depth === 0) return at
  }
  return undefined
}
