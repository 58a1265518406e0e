/** A part of a text with a form; offsets in UTF-16 units, as the Bot API counts them. */
export interface TelegramEntity {
  readonly type: string
  readonly offset: number
  readonly length: number
  readonly url?: string
  readonly language?: string
}

export interface ParsedText {
  readonly text: string
  readonly entities: readonly TelegramEntity[]
}

/** A text that breaks the rules; the message is the service's. */
export class EntityError extends Error {
  override readonly name = 'EntityError'
}

interface Open {
  readonly type: string
  /** What ends it. */
  readonly mark: string
  readonly offset: number
  readonly at: number
  readonly language?: string
}

const reserved = new Set('_*[]()~`>#+-=|{}.!')
const marks: Readonly<Record<string, string>> = {
  __: 'underline',
  '||': 'spoiler',
  _: 'italic',
  '*': 'bold',
  '~': 'strikethrough',
  '[': 'text_link',
}

/**
 * Reads MarkdownV2 by the rules of https://core.telegram.org/bots/api#markdownv2-style: every reserved character that
 * is no part of an entity must be escaped, entities are properly nested and closed.
 */
export function parseMarkdownV2(source: string): ParsedText {
  let text = ''
  const entities: TelegramEntity[] = []
  const open: Open[] = []
  const close = (more: { readonly url?: string } = {}) => {
    const { type, offset, language } = open.pop() as Open
    if (text.length === offset) return
    const form = { type, offset, length: text.length - offset, ...(language && { language }), ...more }
    // A link to nowhere is shown as text.
    if (type !== 'text_link' || more.url) entities.push(form)
  }
  const begin = (type: string, mark: string, at: number, language?: string) =>
    void open.push({ type, mark, offset: text.length, at, ...(language !== undefined && { language }) })

  for (let at = 0; at < source.length;) {
    const char = source[at] ?? ''
    const top = open.at(-1)
    const next = source[at + 1]
    if (char === '\\' && next !== undefined && next.charCodeAt(0) > 0 && next.charCodeAt(0) <= 126) {
      text += next
      at += 2
      continue
    }
    if (top?.type === 'pre' || top?.type === 'code') {
      if (char !== '`') {
        text += char
        at++
      } else if (source.startsWith(top.mark, at)) {
        at += top.mark.length
        close()
      } else throw reservedError(char)
      continue
    }
    if (char === '\n') {
      if (top?.type === 'blockquote' && next !== '>') close()
      text += char
      at++
      continue
    }
    const isLineStart = text === '' || text.endsWith('\n')
    if (char === '>' && isLineStart) {
      if (!open.some(({ type }) => type === 'blockquote')) {
        if (open.length > 0) throw reservedError(char)
        begin('blockquote', '\n', at)
      }
      at++
      continue
    }
    if (!reserved.has(char)) {
      text += char
      at++
      continue
    }
    if (char === ']' && top?.type === 'text_link') {
      const link = readUrl(source, at + 1)
      at = link.end
      close({ url: link.url ?? text.slice(top.offset) })
      continue
    }
    // Two lines are always one mark, from left to right.
    const mark = ['__', '||'].find((two) => source.startsWith(two, at)) ?? char
    if (top && top.mark === mark) {
      at += mark.length
      close()
    } else if (char === '`') {
      const isPre = source.startsWith('```', at)
      const language = isPre ? /^```([^\s`]+)\n/.exec(source.slice(at, at + 80))?.[1] : undefined
      begin(isPre ? 'pre' : 'code', isPre ? '```' : '`', at, language)
      at += isPre ? 3 + (language === undefined ? 0 : language.length) : 1
      if (isPre && source[at] === '\n') at++
    } else if (Object.hasOwn(marks, mark) && !(mark === '[' && open.some(({ type }) => type === 'text_link'))) {
      begin(marks[mark] ?? '', mark, at)
      at += mark.length
    } else throw reservedError(char)
  }
  if (open.at(-1)?.type === 'blockquote') close()
  const left = open.at(-1)
  if (left) throw new EntityError(`Can't find end of ${left.type} entity at byte offset ${byteOffset(source, left.at)}`)
  return trimmed(text, entities)
}

function readUrl(source: string, start: number): { readonly url?: string; readonly end: number } {
  if (source[start] !== '(') return { end: start }
  let url = ''
  for (let at = start + 1; at < source.length; at++) {
    const char = source[at] ?? ''
    if (char === ')') return { url, end: at + 1 }
    if (char === '\\' && at + 1 < source.length) url += source[++at]
    else url += char
  }
  throw new EntityError(`Can't find end of a URL at byte offset ${byteOffset(source, start)}`)
}

function reservedError(char: string): EntityError {
  return new EntityError(`Character '${char}' is reserved and must be escaped with the preceding '\\'`)
}

function byteOffset(source: string, at: number): number {
  return Buffer.byteLength(source.slice(0, at))
}

/** Space at both ends is taken away. */
function trimmed(text: string, entities: readonly TelegramEntity[]): ParsedText {
  const cut = text.length - text.trimStart().length
  const whole = text.trim()
  const moved = entities.flatMap((entity) => {
    const from = Math.max(0, entity.offset - cut)
    const to = Math.min(whole.length, entity.offset - cut + entity.length)
    return to > from ? [{ ...entity, offset: from, length: to - from }] : []
  })
  return { text: whole, entities: moved.sort((a, b) => a.offset - b.offset || b.length - a.length) }
}
