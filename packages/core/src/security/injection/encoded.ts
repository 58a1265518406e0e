/** Most pieces of one kind that are decoded, and the longest of them, characters. */
const maxPieces = 200
const maxPieceChars = 8_192

/** What stands in a text in another writing (base64, hexadecimal, escapes, percent signs, entities), decoded once. */
export function decodedTexts(text: string): string[] {
  return [...base64Texts(text), ...hexTexts(text), ...escapedTexts(text)].filter(isReadable)
}

/** The text with each letter thirteen places on. */
export function rotated(text: string): string {
  return text.replaceAll(/[a-z]/giu, (letter) => {
    const code = letter.charCodeAt(0)
    const first = code >= 97 ? 97 : 65
    return String.fromCharCode(((code - first + 13) % 26) + first)
  })
}

/** Whether a text may be written backwards or rotated: it holds words of an order in that form. */
export function looksRotated(text: string): boolean {
  return /vafgehpgvba|flfgrz\s{0,3}cebzcg|vtaber|qvfertneq/iu.test(text)
}

export function looksReversed(text: string): boolean {
  return /snoitcurtsni|tpmorp\s{0,3}metsys|erongi|dragersid/iu.test(text)
}

function* base64Texts(text: string): Generator<string> {
  let pieces = 0
  for (const [piece] of text.matchAll(/(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{20,8192}={0,2}/gu)) {
    // A word, a path or a name in one case is none.
    if (!/[A-Z]/.test(piece) || !/[a-z]/.test(piece)) continue
    if ((pieces += 1) > maxPieces) return
    yield Buffer.from(piece, 'base64').toString('utf8')
  }
}

function* hexTexts(text: string): Generator<string> {
  let pieces = 0
  for (const [piece] of text.matchAll(/(?<![0-9a-f])(?:[0-9a-f]{2}[ :,]?){10,2048}/giu)) {
    if ((pieces += 1) > maxPieces) return
    yield Buffer.from(piece.replaceAll(/[ :,]/gu, ''), 'hex').toString('utf8')
  }
}

function* escapedTexts(text: string): Generator<string> {
  if (/(?:%[0-9a-f]{2}[\w.-]{0,20}){3}/iu.test(text)) {
    yield* decodedRuns(text, /(?:[\w.,-]{0,20}%[0-9a-f]{2}[\w.,-]{0,20}){3,200}/giu, (run) =>
      Buffer.from(
        run.replaceAll(/%([0-9a-f]{2})/giu, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
        'latin1',
      ).toString('utf8'),
    )
  }
  if (/&#(?:x[0-9a-f]{2,6}|\d{2,7});/iu.test(text)) {
    yield* decodedRuns(text, /(?:&#(?:x[0-9a-f]{2,6}|\d{2,7});[\w .,-]{0,20}){4,800}/giu, (run) =>
      run.replaceAll(/&#(?:x([0-9a-f]{2,6})|(\d{2,7}));/giu, (_, hex?: string, decimal?: string) =>
        fromCode(hex === undefined ? Number(decimal) : parseInt(hex, 16)),
      ),
    )
  }
  if (/(?:\\u\{?[0-9a-f]{2,6}\}?|\\x[0-9a-f]{2})/iu.test(text)) {
    yield* decodedRuns(
      text,
      /(?:(?:\\u[0-9a-f]{4}|\\u\{[0-9a-f]{2,6}\}|\\x[0-9a-f]{2})[\w .,-]{0,20}){4,800}/giu,
      (run) =>
        run.replaceAll(/\\u\{?([0-9a-f]{2,6})\}?|\\x([0-9a-f]{2})/giu, (_, unicode?: string, byte?: string) =>
          fromCode(parseInt(unicode ?? byte ?? '20', 16)),
        ),
    )
  }
}

function* decodedRuns(text: string, runs: RegExp, decode: (run: string) => string): Generator<string> {
  let pieces = 0
  for (const [run] of text.matchAll(runs)) {
    if ((pieces += 1) > maxPieces) return
    yield decode(run.slice(0, maxPieceChars))
  }
}

function fromCode(code: number): string {
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : ''
}

/** Outside of the scripts that orders are written in. */
const strangeLetters = new RegExp(
  String.raw`[^\t\n\r\x20-\x7E\u00A0-\u024F\u0370-\u06FF\u0900-\u0DFF\u3000-\uD7FF]`,
  'gu',
)

/** Decoded bytes of anything else are no words. */
function isReadable(text: string): boolean {
  const sample = text.slice(0, 2_000)
  const strange = sample.match(strangeLetters)?.length ?? 0
  return sample.length >= 12 && strange <= sample.length * 0.1 && /[\p{L}\s]{6}/u.test(sample)
}
