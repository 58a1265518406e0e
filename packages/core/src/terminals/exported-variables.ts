/**
 * Reads what `export -p` prints, in the forms of bash (`declare -x A="b"`, `declare -x A=$'b\n'`), of sh
 * (`export A='b'`) and of bash in POSIX mode. Variables without a value are left out.
 */
export function parseExports(text: string): Map<string, string> {
  const variables = new Map<string, string>()
  const entry = /^(?:declare -[A-Za-z-]+|export) ([A-Za-z_][A-Za-z0-9_]*)(=?)/my
  let at = 0
  while (at < text.length) {
    entry.lastIndex = at
    const match = entry.exec(text)
    if (match) {
      const word = readWord(text, entry.lastIndex)
      if (match[2] === '=' && match[1]) variables.set(match[1], word.value)
      at = word.end
    }
    const lineEnd = text.indexOf('\n', at)
    at = lineEnd === -1 ? text.length : lineEnd + 1
  }
  return variables
}

interface Read {
  readonly value: string
  /** Where the word's text ends. */
  readonly end: number
}

function readWord(text: string, start: number): Read {
  let value = ''
  let at = start
  while (at < text.length && text[at] !== '\n') {
    const part = readPart(text, at)
    value += part.value
    at = part.end
  }
  return { value, end: at }
}

function readPart(text: string, at: number): Read {
  if (text[at] === "'") {
    const close = endOf(text.indexOf("'", at + 1), text)
    return { value: text.slice(at + 1, close), end: close + 1 }
  }
  if (text[at] === '"') return readDoubleQuoted(text, at + 1)
  if (text.startsWith("$'", at)) return readAnsiQuoted(text, at + 2)
  if (text[at] === '\\') return { value: text.slice(at + 1, at + 2), end: at + 2 }
  return { value: text.charAt(at), end: at + 1 }
}

function endOf(index: number, text: string): number {
  return index === -1 ? text.length : index
}

function readDoubleQuoted(text: string, start: number): Read {
  let value = ''
  let at = start
  while (at < text.length && text[at] !== '"') {
    const next = text.charAt(at + 1)
    if (text[at] === '\\' && '$`"\\\n'.includes(next)) {
      if (next !== '\n') value += next
      at += 2
    } else {
      value += text.charAt(at)
      at++
    }
  }
  return { value, end: at + 1 }
}

function readAnsiQuoted(text: string, start: number): Read {
  let end = start
  while (end < text.length && text[end] !== "'") end += text[end] === '\\' ? 2 : 1
  return { value: decodeAnsi(text.slice(start, end)), end: end + 1 }
}

const simpleEscapes: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  e: '\x1b',
  E: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
}

/** The text of the inside of `$'…'`. Octal and hexadecimal escapes are bytes of UTF-8. */
export function decodeAnsi(text: string): string {
  const bytes: Buffer[] = []
  const escape = /\\(?:([0-7]{1,3})|x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|c(.)|(.))|[^\\]+|\\$/gsu
  for (const [whole, octal, hex, short, long, controlled, other] of text.matchAll(escape)) {
    const codePoint = short ?? long
    if (octal !== undefined) bytes.push(Buffer.from([Number.parseInt(octal, 8) & 0xff]))
    else if (hex !== undefined) bytes.push(Buffer.from([Number.parseInt(hex, 16)]))
    else if (codePoint !== undefined) bytes.push(Buffer.from(fromCodePoint(Number.parseInt(codePoint, 16))))
    else if (controlled !== undefined) bytes.push(Buffer.from([controlled.charCodeAt(0) & 0x1f]))
    else if (other !== undefined)
      bytes.push(Buffer.from(simpleEscapes[other] ?? (`'"?\\`.includes(other) ? other : whole)))
    else bytes.push(Buffer.from(whole))
  }
  return Buffer.concat(bytes).toString()
}

function fromCodePoint(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd'
}
