import { marked } from 'marked'
import type { MarkedToken, Token, Tokens } from 'marked'
import { isMostlyMarks } from '../../display/mostly-marks.ts'

/** Markdown as the HTML that Matrix apps show; undefined where it says no more than the text itself. */
export function toHtml(markdown: string): string | undefined {
  if (isMostlyMarks(markdown)) return undefined
  try {
    const tokens = marked.lexer(markdown, { gfm: true, breaks: true })
    const [only] = tokens.filter(({ type }) => type !== 'space')
    const isPlain = tokens.length <= 1 && only?.type === 'paragraph'
    const html = isPlain ? inline(only.tokens ?? []) : blocks(tokens)
    return html === lines(markdown) || html === '' ? undefined : html
  } catch (error) {
    // Quotes in quotes without end: nobody reads those as more than text.
    if (error instanceof RangeError) return undefined
    throw error
  }
}

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

function blocks(tokens: readonly Token[]): string {
  return tokens.map((token) => block(token as MarkedToken)).join('')
}

function block(token: MarkedToken): string {
  switch (token.type) {
    case 'space':
    case 'def':
      return ''
    case 'paragraph':
      return `<p>${inline(token.tokens)}</p>`
    case 'heading':
      return `<h${token.depth}>${inline(token.tokens)}</h${token.depth}>`
    case 'code':
      return `<pre><code${languageOf(token.lang)}>${escapeHtml(token.text)}\n</code></pre>`
    case 'blockquote':
      return `<blockquote>${blocks(token.tokens)}</blockquote>`
    case 'list':
      return list(token)
    case 'table':
      return table(token)
    case 'hr':
      return '<hr>'
    default:
      return one(token)
  }
}

function languageOf(lang: string | undefined): string {
  const name = /^[\w+#.-]{1,40}/.exec(lang ?? '')?.[0]
  return name === undefined ? '' : ` class="language-${escapeHtml(name)}"`
}

function list({ ordered, start, items }: Tokens.List): string {
  const tag = ordered ? 'ol' : 'ul'
  const from = ordered && typeof start === 'number' && start !== 1 ? ` start="${start}"` : ''
  const all = items.map(({ tokens, task, checked }) => {
    const box = task ? (checked ? '☑ ' : '☐ ') : ''
    return `<li>${box}${blocks(tokens)}</li>`
  })
  return `<${tag}${from}>${all.join('')}</${tag}>`
}

function table({ header, rows }: Tokens.Table): string {
  const row = (cells: readonly Tokens.TableCell[], tag: 'th' | 'td') =>
    `<tr>${cells.map(({ tokens }) => `<${tag}>${inline(tokens)}</${tag}>`).join('')}</tr>`
  const body = rows.map((cells) => row(cells, 'td')).join('')
  return `<table><thead>${row(header, 'th')}</thead><tbody>${body}</tbody></table>`
}

function inline(tokens: readonly Token[]): string {
  return tokens.map((token) => one(token as MarkedToken)).join('')
}

function one(token: MarkedToken): string {
  switch (token.type) {
    case 'strong':
      return `<strong>${inline(token.tokens)}</strong>`
    case 'em':
      return `<em>${inline(token.tokens)}</em>`
    case 'del':
      return `<del>${inline(token.tokens)}</del>`
    case 'codespan':
      return `<code>${escapeHtml(token.text)}</code>`
    case 'br':
      return '<br>'
    case 'link':
      return link(token.href, inline(token.tokens))
    case 'image':
      return link(token.href, escapeHtml(token.text || token.href))
    case 'checkbox':
      return ''
    case 'text':
      return token.tokens ? inline(token.tokens) : lines(token.text)
    case 'escape':
      return escapeHtml(token.text)
    default:
      // HTML that somebody wrote is shown as it is written.
      return lines(token.raw)
  }
}

function lines(text: string): string {
  return escapeHtml(text).replaceAll('\n', '<br>')
}

/** Links of other kinds than these do something; they are shown as text. */
const linkPattern = /^(https?|ftp|mailto|magnet|matrix):/i

function link(href: string, html: string): string {
  return linkPattern.test(href) ? `<a href="${escapeHtml(href)}">${html}</a>` : html
}
