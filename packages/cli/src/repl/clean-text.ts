/**
 * Text of models, tools and files as a terminal may safely show it: without escape sequences, other control characters
 * and marks that turn the reading direction around. Tabs and line breaks stay; `\r\n` and lone `\r` become `\n`.
 */
export function cleanText(text: string): string {
  const clean = createTextCleaner()
  return clean(text)
}

/** As `cleanText`, on one line: every run of white space becomes one space. */
export function cleanLine(text: string): string {
  return cleanText(text).replace(/\s+/g, ' ').trim()
}

/** As `cleanText`, for a text that comes in pieces: a sequence cut between two pieces is taken out whole. */
export function createTextCleaner(): (piece: string) => string {
  let state: State = 'text'
  let afterReturn = false
  return (piece) => {
    if (state === 'text' && !afterReturn && !special.test(piece)) return piece
    let clean = ''
    for (const char of piece) {
      const next = step(state, char)
      if (char === '\r') clean += '\n'
      else if (char === '\n') clean += afterReturn ? '' : '\n'
      else if (state === 'text' && next === 'text' && !special.test(char)) clean += char
      afterReturn = char === '\r'
      state = next
    }
    return clean
  }
}

/** Where in an escape sequence (ECMA-48) the reader is. */
type State = 'text' | 'escape' | 'intermediate' | 'control' | 'string' | 'string-escape'

// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const special = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/

/** CAN and SUB end any sequence, and so does a line break: an unfinished one must not swallow the rest. */
const ends = new Set(['\u0018', '\u001a', '\n', '\r'])
/** DCS, SOS, OSC, PM and APC as single characters. */
const stringStarts = new Set(['\u0090', '\u0098', '\u009d', '\u009e', '\u009f'])

function step(state: State, char: string): State {
  if (ends.has(char)) return 'text'
  if (state === 'string') return stringStep(char)
  if (state === 'string-escape' && char === '\\') return 'text'
  if (char === '\u001b') return 'escape'
  if (state === 'escape' || state === 'string-escape') return escapeStep(char)
  if (state === 'intermediate') return isIntermediate(char) ? 'intermediate' : 'text'
  if (state === 'control') return char >= '@' && char <= '~' ? 'text' : 'control'
  if (char === '\u009b') return 'control'
  return stringStarts.has(char) ? 'string' : 'text'
}

function escapeStep(char: string): State {
  if (char === '[') return 'control'
  if ('PX]^_'.includes(char)) return 'string'
  return isIntermediate(char) ? 'intermediate' : 'text'
}

function stringStep(char: string): State {
  if (char === '\u001b') return 'string-escape'
  return char === '\u0007' || char === '\u009c' ? 'text' : 'string'
}

function isIntermediate(char: string): boolean {
  return char >= ' ' && char <= '/'
}
