import { personOfLink } from './matrix-link.ts'

/** How the HTML of a message is read. */
export interface HtmlReading {
  /** Ids of people whose names are left out: our own. */
  readonly without: string
}

interface Frame {
  readonly tag: string
  readonly attributes: string
  out: string
  /** Its last character: asking a text that is still put together takes time in proportion to its length. */
  last: string
  /** Of a list: how many items came. */
  items: number
}

/** Deepest nesting that is read as such. */
const maxDepth = 100

const dropped: ReadonlySet<string> = new Set(['mx-reply', 'script', 'style', 'head', 'title'])
const single: ReadonlySet<string> = new Set(['br', 'hr', 'img', 'input', 'wbr', 'meta', 'link'])
const paragraphs: ReadonlySet<string> = new Set(['p', 'div', 'ul', 'ol', 'table', 'details', 'dl'])
const rows: ReadonlySet<string> = new Set(['tr', 'summary', 'dt', 'dd', 'caption'])
const marks: Readonly<Record<string, string>> = {
  strong: '**',
  b: '**',
  em: '*',
  i: '*',
  del: '~~',
  s: '~~',
  strike: '~~',
}

/** The HTML of a message as Markdown. Takes any text, and time in proportion to its length. */
export function htmlToText(html: string, reading: HtmlReading): string {
  const stack: Frame[] = [frameOf('', '')]
  const add = (text: string) => {
    const top = stack.at(-1)
    if (!top || text === '') return
    top.out += text
    top.last = text.at(-1) ?? ''
  }
  const close = (tag: string) => {
    const at = stack.findLastIndex((frame) => frame.tag === tag)
    if (at < 1) return
    for (let left = stack.length - at; left > 0; left--) {
      const frame = stack.pop()
      if (frame) add(rendered(frame, stack, reading))
    }
  }
  // A tag, or text up to the next one; a lone < is text.
  for (const [piece, closing, name, attributes = ''] of html.matchAll(
    /<!--[^<]*?-->|<(\/?)([a-z][\w-]*)((?:"[^"<]*"|'[^'<]*'|[^<>"'])*)>|[^<]+|</gi,
  )) {
    const tag = name?.toLowerCase()
    if (tag === undefined) {
      if (!piece.startsWith('<!--')) add(textOf(piece, stack))
    } else if (closing === '/') close(tag)
    else if (single.has(tag)) add(singleText(tag, attributes))
    else if (stack.length < maxDepth) stack.push(frameOf(tag, attributes))
  }
  while (stack.length > 1) close(stack.at(-1)?.tag ?? '')
  const lines = (stack[0]?.out ?? '').split('\n').map((line) => line.trimEnd())
  return lines
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
}

function frameOf(tag: string, attributes: string): Frame {
  return { tag, attributes, out: '', last: '', items: 0 }
}

function isCode(stack: readonly Frame[]): boolean {
  return stack.some(({ tag }) => tag === 'pre')
}

function textOf(piece: string, stack: readonly Frame[]): string {
  const text = decodeEntities(piece)
  if (isCode(stack)) return text
  const folded = text.replaceAll(/\s+/g, ' ')
  const { tag = '', last = '' } = stack.at(-1) ?? {}
  // Between blocks, and at the beginning of a line, space is no text.
  const isBetween = folded === ' ' && (paragraphs.has(tag) || last === '')
  return isBetween ? '' : last === '\n' ? folded.trimStart() : folded
}

function singleText(tag: string, attributes: string): string {
  if (tag === 'br') return '\n'
  if (tag === 'hr') return '\n\n---\n\n'
  return tag === 'img' ? (attribute(attributes, 'alt') ?? '') : ''
}

function rendered(frame: Frame, stack: readonly Frame[], { without }: HtmlReading): string {
  const { tag, attributes, out } = frame
  if (dropped.has(tag)) return ''
  if (isCode(stack)) return out
  const mark = marks[tag]
  if (mark !== undefined) return out.trim() === '' ? out : `${mark}${out.trim()}${mark}`
  if (tag === 'pre') return codeBlock(frame)
  if (tag === 'code') return out === '' ? '' : `\`${out}\``
  if (tag === 'a') return linkText(attribute(attributes, 'href') ?? '', out, without)
  if (tag === 'li') return item(frame, stack.at(-1))
  if (tag === 'blockquote') return `\n\n${prefixed(out.trim(), '> ')}\n\n`
  const heading = /^h([1-6])$/.exec(tag)?.[1]
  if (heading !== undefined) return `\n\n${'#'.repeat(Number(heading))} ${out.trim()}\n\n`
  if (paragraphs.has(tag)) return stack.some((one) => one.tag === 'li') ? `\n${out.trim()}\n` : `\n\n${out.trim()}\n\n`
  if (rows.has(tag)) return `${out.trim()}\n`
  return tag === 'td' || tag === 'th' ? `${out.trim()} | ` : out
}

function codeBlock({ out }: Frame): string {
  const longest = Math.max(2, ...[...out.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `\n\n${fence}\n${out.replace(/^\n|\n$/g, '')}\n${fence}\n\n`
}

function item({ out }: Frame, list: Frame | undefined): string {
  if (list) list.items++
  const start = Number(attribute(list?.attributes ?? '', 'start') ?? 1)
  const sign = list?.tag === 'ol' ? `${start + list.items - 1}. ` : '- '
  return `${sign}${out.trim().replaceAll('\n', `\n${' '.repeat(sign.length)}`)}\n`
}

function linkText(href: string, text: string, without: string): string {
  const person = personOfLink(href)
  if (person !== undefined) return person === without ? '' : text
  if (!/^(https?|mailto|ftp|magnet|matrix):/i.test(href) || text === href || text.trim() === '') return text || href
  return `[${text}](${href})`
}

function prefixed(text: string, prefix: string): string {
  return text
    .split('\n')
    .map((line) => `${prefix}${line}`.trimEnd())
    .join('\n')
}

function attribute(attributes: string, name: string): string | undefined {
  const found = new RegExp(`(?:^|\\s)${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i').exec(attributes)
  const value = found?.[1] ?? found?.[2] ?? found?.[3]
  return value === undefined ? undefined : decodeEntities(value)
}

const entities: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
  nbsp: ' ',
}

function decodeEntities(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,6}));/gi, (whole, decimal, hex, name: string) => {
    if (name) return entities[name.toLowerCase()] ?? whole
    const code = decimal ? Number(decimal) : Number.parseInt(String(hex), 16)
    return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : whole
  })
}
