/** A mark that shows nothing, and keeps what is beside it from being read as one mark. */
const gap = '\u200B'

/**
 * Markdown as models write it in Slack's mrkdwn (https://docs.slack.dev/messaging/formatting-message-text). Code stays what
 * it is; mentions and links in Slack's own form are kept; everything else is escaped, once. What has no form there stays
 * as it is written.
 */
export function toMrkdwn(markdown: string): string {
  const lines = markdown.replaceAll('\r\n', '\n').split('\n')
  const out: string[] = []
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    const marks = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/.exec(line)?.[1]
    if (marks === undefined) {
      out.push(toLine(line))
      continue
    }
    const end = lines.findIndex((other, index) => index > at && isClosing(other, marks))
    const inside = lines.slice(at + 1, end < 0 ? undefined : end).join('\n')
    // An empty block would be read as something else.
    if (inside.trim() !== '') out.push(`\`\`\`\n${escapedBlock(inside)}\n\`\`\``)
    at = end < 0 ? lines.length : end
  }
  return out.join('\n')
}

/**
 * How long a text is in mrkdwn at most, without converting it: what is escaped grows, all else shrinks. An unclosed block
 * gets its end, which `blockRoom` is for.
 */
export function mrkdwnLength(markdown: string): number {
  let length = markdown.length
  for (const char of markdown) length += char === '&' ? 4 : char === '<' || char === '>' ? 3 : 0
  return length + (markdown.match(longRun)?.length ?? 0)
}

export const blockRoom = 10

/** Backticks that would end a block. */
const longRun = /`(?=``)/g

function isClosing(line: string, marks: string): boolean {
  const text = line.trim()
  return text.length >= marks.length && text === (marks[0] ?? '').repeat(text.length)
}

function toLine(line: string): string {
  const heading = /^ {0,3}#{1,6}\s+(.+?)\s*#*$/.exec(line)?.[1]
  if (heading !== undefined) return `*${toInline(heading, ['*'])}*`
  const quote = /^( {0,3}>)(.*)$/.exec(line)
  if (quote) return `>${toInline(quote[2] ?? '', [])}`
  const bullet = /^(\s*)[*+-](\s+.*)$/.exec(line)
  return bullet ? `${bullet[1]}•${toInline(bullet[2] ?? '', [])}` : toInline(line, [])
}

type Mark = '*' | '_' | '~'

/** What marks hold: their own end is not looked for in code. */
const held = String.raw`((?=\S)(?:\x60[^\x60]*\x60|[^\x60])*?(?:\x60[^\x60]*\x60|[^\s\\\x60]))`

/** Markdown's marks, longest first, with those of mrkdwn, outer one first. */
const emphases: readonly { readonly pattern: RegExp; readonly marks: readonly Mark[] }[] = [
  { pattern: new RegExp(String.raw`\*\*\*${held}\*\*\*(?!\*)`, 'y'), marks: ['*', '_'] },
  { pattern: new RegExp(String.raw`\*\*${held}\*\*(?!\*)`, 'y'), marks: ['*'] },
  { pattern: new RegExp(String.raw`(?<![\p{L}\p{N}_])__${held}__(?![\p{L}\p{N}_])`, 'uy'), marks: ['*'] },
  { pattern: new RegExp(String.raw`~~${held}~~(?!~)`, 'y'), marks: ['~'] },
  { pattern: new RegExp(String.raw`\*(?!\*)${held}(?<!\*)\*(?!\*)`, 'y'), marks: ['_'] },
  { pattern: new RegExp(String.raw`(?<![\p{L}\p{N}_])_(?!_)${held}(?<!_)_(?![\p{L}\p{N}_])`, 'uy'), marks: ['_'] },
]

const codePattern = /(?<!`)(`+)(?!`)([^\n]*?[^`])\1(?!`)/y
const tokenPattern = /<(?:[@#!][^<>\s|]+|(?:https?:\/\/|mailto:)[^<>\s|]+)(?:\|[^<>\n]*)?>/y
const linkPattern = /!?\[([^[\]]*)\]\(<?((?:[^\s()<>]|\([^\s()<>]*\))+)>?(?:\s+"[^"]*")?\)/y
const urlPattern = /https?:\/\/[^\s<>`*]+/y

/** One line; `within`: marks that it stands in already. */
function toInline(line: string, within: readonly Mark[]): string {
  let out = ''
  let plain = ''
  const flush = () => {
    out += escaped(plain)
    plain = ''
  }
  for (let at = 0; at < line.length;) {
    const part = partAt(line, at, within)
    if (part) {
      flush()
      out += part.text
      at = part.end
      continue
    }
    const next = line[at + 1] ?? ''
    if (line[at] === '\\' && /[!-/:-@[-`{-~]/.test(next)) {
      flush()
      // The person should see the mark, not what it does.
      out += /[*_~]/.test(next) ? `${next}${gap}` : escaped(next)
      at += 2
    } else plain += line[at++] ?? ''
  }
  flush()
  return out
}

interface Part {
  readonly text: string
  /** Where the line goes on. */
  readonly end: number
}

function partAt(line: string, at: number, within: readonly Mark[]): Part | undefined {
  const char = line[at] ?? ''
  if (!'`<![*_~h'.includes(char)) return undefined
  const match = (pattern: RegExp) => {
    pattern.lastIndex = at
    return pattern.exec(line)
  }
  const ended = (found: RegExpExecArray, text: string): Part => ({ text, end: at + found[0].length })
  const code = char === '`' ? match(codePattern) : null
  if (code && code[2]?.trim()) return ended(code, `\`${escapedCode(code[2])}\``)
  const token = char === '<' ? match(tokenPattern) : null
  if (token) return ended(token, `<${escapedToken(token[0].slice(1, -1))}>`)
  const link = char === '[' || char === '!' ? match(linkPattern) : null
  if (link) return ended(link, toLink(link[1] ?? '', link[2] ?? ''))
  const url = char === 'h' ? match(urlPattern) : null
  if (url) return ended(url, escaped(url[0]))
  for (const { pattern, marks } of emphases) {
    const found = match(pattern)
    if (found?.[1] === undefined) continue
    const added = marks.filter((mark) => !within.includes(mark))
    const inner = toInline(found[1], [...within, ...added])
    // Marks count only at the edge of a word; the shorter ones leave room to make one.
    const [before, after] =
      found[0].startsWith('*') && marks[0] === '_' ? ['', ''] : edges(line, at, at + found[0].length)
    return ended(found, `${before}${added.join('')}${inner}${added.toReversed().join('')}${after}`)
  }
  return undefined
}

function edges(line: string, start: number, end: number): readonly [string, string] {
  const isWord = (char: string | undefined) => char !== undefined && /[\p{L}\p{N}]/u.test(char)
  return [isWord(line[start - 1]) ? gap : '', isWord(line[end]) ? gap : '']
}

function toLink(label: string, url: string): string {
  const shown = label.trim()
  if (!/^(?:https?:\/\/|mailto:|tel:)/i.test(url) || url.includes('|'))
    return escaped(shown === '' ? url : `${shown} (${url})`)
  return shown === '' || shown === url ? `<${escaped(url)}>` : `<${escaped(url)}|${escaped(shown)}>`
}

/** A sign that looks like a backtick and begins no code. */
const likeBacktick = 'ˋ'

/** A text outside of code, in which the three control characters may be escaped already. */
function escaped(value: string): string {
  return escapedToken(value).replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('`', likeBacktick)
}

function escapedToken(value: string): string {
  return value.replaceAll(/&(?!(?:amp|lt|gt);)/g, '&amp;')
}

function escapedBlock(value: string): string {
  return literally(value).replaceAll(longRun, `\`${gap}`)
}

/** Inline code ends at the first backtick, so those inside become a sign that looks alike. */
function escapedCode(value: string): string {
  const inside = value.startsWith(' ') && value.endsWith(' ') && value.trim() !== '' ? value.slice(1, -1) : value
  return literally(inside).replaceAll('`', likeBacktick)
}

/** In code, what looks escaped is what the code says. */
function literally(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
