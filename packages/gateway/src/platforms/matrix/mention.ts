import { htmlToText } from './html-text.ts'
import type { MessageContent } from './events.ts'
import { personOfLink } from './matrix-link.ts'

/** Who we are in a room. */
export interface Self {
  readonly userId: string
  readonly displayName: string | undefined
}

/** Whether a message names us: by what its app says, by our id, our short name as a word, or a link to us. */
export function isMentioned(content: MessageContent, { userId }: Self): boolean {
  const { body, formatted_body: html = '' } = content
  if (content['m.mentions']?.user_ids?.includes(userId)) return true
  if (body.toLowerCase().includes(userId.toLowerCase()) || wordPattern(localpart(userId)).test(body)) return true
  return [...html.matchAll(/https:\/\/matrix\.to\/#\/[^"'<>\s]+/gi)].some(([href]) => personOfLink(href) === userId)
}

/** What a message says, as Markdown: without what it answers, and without our name where it names us. */
export function textOf(content: MessageContent, self: Self): string {
  const { body, format, formatted_body: html } = content
  const isReply = content['m.relates_to']?.['m.in_reply_to'] !== undefined
  const isHtml = format === 'org.matrix.custom.html' && html !== undefined && html.trim() !== ''
  const said = isHtml ? htmlToText(html, { without: self.userId }) : isReply ? withoutQuote(body) : body
  const text = isMentioned(content, self) ? withoutName(said, self) : said
  return asCommand(text.trim())
}

/** The lines before an answer that older apps put there repeat what is answered. */
function withoutQuote(body: string): string {
  const lines = body.split('\n')
  const end = lines.findIndex((line) => !line.startsWith('> ') && line !== '>')
  if (end <= 0) return body
  return lines.slice(lines[end] === '' ? end + 1 : end).join('\n')
}

function withoutName(text: string, { userId, displayName }: Self): string {
  const rest = text.replaceAll(new RegExp(RegExp.escape(userId), 'gi'), ' ')
  // At the beginning a name is an address; elsewhere it may be part of what is said.
  const names = [displayName, localpart(userId)].flatMap((name) => (name ? RegExp.escape(name) : []))
  const address = new RegExp(`^\\s*@?(?:${names.join('|')})(?![\\p{L}\\p{N}_])`, 'iu')
  const said = rest
    .replace(address, '')
    .replace(/^\s*[,:;-]*\s*/, '')
    .trim()
  return said === '' ? text : said
}

/** Apps take what begins with a slash for commands of their own, so `!new` is `/new`. */
function asCommand(text: string): string {
  return /^![a-z]/i.test(text) ? `/${text.slice(1)}` : text
}

function localpart(userId: string): string {
  return userId.slice(1).split(':')[0] ?? ''
}

function wordPattern(word: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}_./@-])@?${RegExp.escape(word)}(?![\\p{L}\\p{N}_.-]*[\\p{L}\\p{N}_])`, 'iu')
}
