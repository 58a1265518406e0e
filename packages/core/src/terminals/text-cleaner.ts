/** Longest escape sequence known as one, characters. */
const longestEscape = 4096

const escapes = [
  String.raw`(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]`, // CSI: colours, cursor
  String.raw`(?:\x1b\]|\x9d)[^\x07\x1b\x9c]{0,${longestEscape}}(?:\x07|\x1b\\|\x9c)`, // OSC: titles, links
  String.raw`(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x9c]{0,${longestEscape}}(?:\x1b\\|\x9c)`, // DCS, SOS, PM, APC
  String.raw`\x1b[ -/]*[0-OQ-WYZ\\\x60-~]`, // two characters
].join('|')
const escapeAnywhere = new RegExp(escapes, 'g')
// oxlint-disable-next-line no-control-regex
const introducer = /[\x1b\x90\x98\x9b\x9d-\x9f]/g
// oxlint-disable-next-line no-control-regex
const control = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/
const controls = new RegExp(control, 'g')

/** Turns the bytes of a command into text to read, piece by piece; where the pieces break does not matter. */
export interface TextCleaner {
  /** The text of the next bytes. What cannot be decided yet comes with the next piece. */
  push(bytes: Uint8Array): string
  /** What is left at the end. */
  end(): string
}

/**
 * Invalid UTF-8 becomes U+FFFD. Escape sequences and control characters go; `\r\n`, and a lone `\r` (a progress bar
 * that writes over itself), become a new line.
 */
export function createTextCleaner(): TextCleaner {
  const decoder = new TextDecoder()
  let unfinishedEscape = ''
  let carriageReturns = ''

  function finish(plain: string): string {
    const text = carriageReturns + plain
    carriageReturns = ''
    return withoutControls(text)
  }

  return {
    push(bytes) {
      const text = unfinishedEscape + decoder.decode(bytes, { stream: true })
      unfinishedEscape = ''
      if (carriageReturns === '' && !control.test(text)) return text
      const cut = unfinishedFrom(text)
      unfinishedEscape = text.slice(cut)
      const plain = text.slice(0, cut).replace(escapeAnywhere, '')
      const end = plain.length - (/\r+$/.exec(plain)?.[0].length ?? 0)
      // When all of it is carriage returns, those before them wait too.
      if (end === 0) {
        carriageReturns += plain
        return ''
      }
      const cleaned = finish(plain.slice(0, end))
      carriageReturns = plain.slice(end)
      return cleaned
    },
    end() {
      const text = unfinishedEscape + decoder.decode()
      unfinishedEscape = ''
      return finish(text.replace(escapeAnywhere, ''))
    },
  }
}

/** Cleans a whole text as the cleaner would. */
export function cleanText(text: string): string {
  return withoutControls(text.toWellFormed().replace(escapeAnywhere, ''))
}

function withoutControls(text: string): string {
  if (!control.test(text)) return text
  return text.replace(/\r+\n|\r/g, '\n').replace(controls, '')
}

/** Where an escape sequence begins that is not complete yet; the text's length when there is none. */
function unfinishedFrom(text: string): number {
  const escapeHere = new RegExp(escapes, 'y')
  const start = new RegExp(introducer)
  start.lastIndex = Math.max(0, text.length - longestEscape - 2)
  for (let match = start.exec(text); match; match = start.exec(text)) {
    escapeHere.lastIndex = match.index
    if (!escapeHere.test(text)) return match.index
    start.lastIndex = escapeHere.lastIndex
  }
  return text.length
}
