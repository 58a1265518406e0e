/** How the parts of a text are written. */
interface Writing {
  text(value: string): string
  bold(inner: string): string
  italic(inner: string): string
  strike(inner: string): string
  spoiler(inner: string): string
  code(value: string): string
  block(value: string, language: string): string
  link(label: string, url: string): string
  quote(inner: string): string
}

const telegram: Writing = {
  text: escaped,
  bold: (inner) => `*${inner}*`,
  italic: (inner) => `_${inner}_`,
  strike: (inner) => `~${inner}~`,
  spoiler: (inner) => `||${inner}||`,
  code: (value) => `\`${escapedCode(value)}\``,
  block: (value, language) => `\`\`\`${language}\n${escapedCode(value)}\n\`\`\``,
  link: (label, url) => `[${label}](${url.replaceAll(/[\\)]/g, String.raw`\$&`)})`,
  quote: (inner) => `>${inner}`,
}

const plain: Writing = {
  text: (value) => value,
  bold: (inner) => inner,
  italic: (inner) => inner,
  strike: (inner) => inner,
  spoiler: (inner) => inner,
  code: (value) => value,
  block: (value) => value,
  link: (label, url) => (label === url ? url : `${label} (${url})`),
  quote: (inner) => `> ${inner}`,
}

/**
 * Markdown as models write it in Telegram's MarkdownV2 (https://core.telegram.org/bots/api#markdownv2-style): whatever the
 * text, the service can read the result. What has no form there stays as it is written.
 */
export function toMarkdownV2(markdown: string): string {
  return write(markdown, telegram)
}

/** The same text without any marks, for where they are refused. */
export function toPlainText(markdown: string): string {
  return write(markdown, plain)
}

const fencePattern = /^ {0,3}(`{3,}|~{3,})\s*([^`\s]*)[^`]*$/

function write(markdown: string, writing: Writing): string {
  const lines = markdown.replaceAll('\r\n', '\n').split('\n')
  const out: string[] = []
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    const fence = fencePattern.exec(line)
    if (!fence) {
      out.push(writeLine(line, writing))
      continue
    }
    const [, marks = '', language = ''] = fence
    const end = lines.findIndex((other, index) => index > at && isClosing(other, marks))
    const inside = lines.slice(at + 1, end < 0 ? undefined : end).join('\n')
    // An empty block is nothing that can be shown.
    if (inside.trim() === '') {
      out.push(writeInline(line, writing, []))
      continue
    }
    out.push(writing.block(inside, /^[\w+#.-]+$/.test(language) ? language : ''))
    at = end < 0 ? lines.length : end
  }
  return out.join('\n')
}

function isClosing(line: string, marks: string): boolean {
  const text = line.trim()
  return text.length >= marks.length && text === (marks[0] ?? '').repeat(text.length)
}

function writeLine(line: string, writing: Writing): string {
  const heading = /^ {0,3}#{1,6}\s+(.+?)\s*#*$/.exec(line)?.[1]
  if (heading !== undefined) return writing.bold(writeInline(heading, writing, ['bold']))
  const quoted = /^ {0,3}>\s?(.*)$/.exec(line)?.[1]
  if (quoted !== undefined) return writing.quote(writeInline(quoted, writing, []))
  const bullet = /^(\s*)\*(\s+.*)$/.exec(line)
  if (bullet) return writing.text(`${bullet[1]}•`) + writeInline(bullet[2] ?? '', writing, [])
  return writeInline(line, writing, [])
}

type Form = 'bold' | 'italic' | 'strike' | 'spoiler'

/** Marks that stand on both sides of a part, longest first. */
const pairs: readonly (readonly [mark: string, form: Form])[] = [
  ['**', 'bold'],
  ['__', 'bold'],
  ['~~', 'strike'],
  ['||', 'spoiler'],
  ['*', 'italic'],
  ['_', 'italic'],
]

const linkPattern = /!?\[((?:[^[\]\\]|\\.)+)\]\((\S*?(?:\([^\s()]*\)\S*?)*)(?:\s+"[^"]*")?\)/y

/** One line; `within`: forms that it is part of already, which are not begun again. */
function writeInline(line: string, writing: Writing, within: readonly (Form | 'link')[]): string {
  let out = ''
  let literal = ''
  const flush = () => {
    out += writing.text(literal)
    literal = ''
  }
  for (let at = 0; at < line.length;) {
    const part = partAt(line, at, writing, within)
    // Two italics side by side would read as an underline.
    const clashes = part?.text.startsWith('_') && literal === '' && out.endsWith('_')
    if (part && !clashes) {
      flush()
      out += part.text
      at = part.end
    } else if (line[at] === '\\' && /[!-/:-@[-`{-~]/.test(line[at + 1] ?? '')) {
      literal += line[at + 1] ?? ''
      at += 2
    } else {
      literal += line[at] ?? ''
      at++
    }
  }
  flush()
  return out
}

interface Part {
  readonly text: string
  /** Where the line goes on. */
  readonly end: number
}

function partAt(line: string, at: number, writing: Writing, within: readonly (Form | 'link')[]): Part | undefined {
  const char = line[at] ?? ''
  if (char === '`') return codeAt(line, at, writing)
  if ((char === '[' || char === '!') && !within.includes('link')) return linkAt(line, at, writing, within)
  const both = line.startsWith('***', at) && !within.includes('italic') ? closingOf(line, at, '***') : undefined
  if (both !== undefined) {
    const inner = writing.italic(writeInline(line.slice(at + 3, both), writing, [...within, 'bold', 'italic']))
    return { text: within.includes('bold') ? inner : writing.bold(inner), end: both + 3 }
  }
  for (const [mark, form] of pairs) {
    const end = line.startsWith(mark, at) ? closingOf(line, at, mark) : undefined
    if (end === undefined) continue
    const inner = writeInline(line.slice(at + mark.length, end), writing, [...within, form])
    return { text: within.includes(form) ? inner : writing[form](inner), end: end + mark.length }
  }
  return undefined
}

function codeAt(line: string, at: number, writing: Writing): Part | undefined {
  const marks = /^`+/.exec(line.slice(at))?.[0] ?? '`'
  const start = at + marks.length
  for (let end = line.indexOf(marks, start); end >= 0; end = line.indexOf(marks, end + 1)) {
    if (line[end + marks.length] === '`' || line[end - 1] === '`') continue
    const inside = line.slice(start, end)
    const value = inside.startsWith(' ') && inside.endsWith(' ') && inside.trim() !== '' ? inside.slice(1, -1) : inside
    return value.trim() === '' ? undefined : { text: writing.code(value), end: end + marks.length }
  }
  return undefined
}

function linkAt(line: string, at: number, writing: Writing, within: readonly (Form | 'link')[]): Part | undefined {
  linkPattern.lastIndex = at
  const found = linkPattern.exec(line)
  const [whole, label = '', url = ''] = found ?? []
  if (whole === undefined || url === '' || label.trim() === '') return undefined
  return { text: writing.link(writeInline(label, writing, [...within, 'link']), url), end: at + whole.length }
}

/** Where a mark that opens at `at` closes again: marks stand close to what they hold, and `_` not inside words. */
function closingOf(line: string, at: number, mark: string): number | undefined {
  const start = at + mark.length
  if (/^(\s|$)/.test(line.slice(start, start + 1)) || line[start] === mark[0]) return undefined
  const isWordly = mark.startsWith('_')
  if (isWordly && /[\p{L}\p{N}_]/u.test(line[at - 1] ?? '')) return undefined
  for (let end = line.indexOf(mark, start); end >= 0; end = line.indexOf(mark, end + 1)) {
    if (/\s|\\/.test(line[end - 1] ?? '')) continue
    // A single mark is not half of a double one.
    if (mark.length === 1 && (line[end + 1] === mark || line[end - 1] === mark)) continue
    if (isWordly && /[\p{L}\p{N}_]/u.test(line[end + mark.length] ?? '')) continue
    if (isInCode(line, start, end)) continue
    return end > start ? end : undefined
  }
  return undefined
}

function isInCode(line: string, from: number, at: number): boolean {
  return (line.slice(from, at).match(/`/g)?.length ?? 0) % 2 === 1
}

function escaped(value: string): string {
  return value.replaceAll(/[_*[\]()~`>#+\-=|{}.!\\]/g, String.raw`\$&`)
}

function escapedCode(value: string): string {
  return value.replaceAll(/[`\\]/g, String.raw`\$&`)
}
