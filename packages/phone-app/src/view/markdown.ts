import type { Token, Tokens } from 'marked'
import { lexed } from './bounded-lexer.ts'
import { element } from './element.ts'

/** Schemes that a link may have. */
const safeLink = /^(https?:|mailto:|tel:)/i

/** Deepest nesting that is shown as such. */
const maxDepth = 20

/** Markdown as elements. It is built node by node, so that nothing of an answer can become active. */
export function markdown(text: string): DocumentFragment {
  const fragment = document.createDocumentFragment()
  fragment.append(...blocks(lexed(text), 0))
  return fragment
}

function blocks(tokens: readonly Token[], depth: number): (Node | string)[] {
  if (depth > maxDepth) return tokens.map(({ raw }) => raw)
  return tokens.flatMap((token) => block(token as Tokens.Generic & Token, depth + 1))
}

function block(token: Token, depth: number): (Node | string)[] {
  switch (token.type) {
    case 'space':
    case 'def':
      return []
    case 'heading': {
      // The page's own headings come before those of an answer.
      const level = Math.min(6, (token as Tokens.Heading).depth + 2) as 3 | 4 | 5 | 6
      return [element(`h${level}`, {}, ...inline(token.tokens ?? [], depth))]
    }
    case 'paragraph':
      return [element('p', {}, ...inline(token.tokens ?? [], depth))]
    case 'text':
      return token.tokens ? inline(token.tokens, depth) : [decoded(token.text)]
    case 'code':
      return [codeBlock(token as Tokens.Code)]
    case 'blockquote':
      return [element('blockquote', {}, ...blocks(token.tokens ?? [], depth))]
    case 'hr':
      return [element('hr')]
    case 'list':
      return [list(token as Tokens.List, depth)]
    case 'table':
      return [table(token as Tokens.Table, depth)]
    default:
      return [element('p', {}, token.raw)]
  }
}

function codeBlock({ text, lang }: Tokens.Code): HTMLElement {
  const code = element('code', {}, text)
  const label = lang?.split(/\s/)[0] || 'code'
  const copy = element(
    'button',
    { type: 'button', class: 'copy', onclick: () => void navigator.clipboard.writeText(text) },
    'Copy',
  )
  return element(
    'figure',
    { class: 'code' },
    element('figcaption', {}, label, copy),
    element('pre', { tabindex: 0 }, code),
  )
}

function list({ ordered, start, items }: Tokens.List, depth: number): HTMLElement {
  const entries = items.map(({ tokens, task, checked }) => {
    const box = task ? [element('input', { type: 'checkbox', disabled: true, checked: checked === true })] : []
    return element('li', {}, ...box, ...blocks(tokens, depth))
  })
  return ordered
    ? element('ol', { start: typeof start === 'number' ? start : undefined }, ...entries)
    : element('ul', {}, ...entries)
}

function table({ header, rows }: Tokens.Table, depth: number): HTMLElement {
  const row = (cells: readonly Tokens.TableCell[], name: 'th' | 'td') =>
    element('tr', {}, ...cells.map(({ tokens }) => element(name, {}, ...inline(tokens, depth))))
  const whole = element(
    'table',
    {},
    element('thead', {}, row(header, 'th')),
    element('tbody', {}, ...rows.map((cells) => row(cells, 'td'))),
  )
  return element('div', { class: 'table', tabindex: 0, role: 'group', 'aria-label': 'Table' }, whole)
}

function inline(tokens: readonly Token[], depth: number): (Node | string)[] {
  if (depth > maxDepth) return tokens.map(({ raw }) => raw)
  return tokens.flatMap((token): (Node | string)[] => {
    const inner = () => inline(('tokens' in token && token.tokens) || [], depth + 1)
    switch (token.type) {
      case 'strong':
        return [element('strong', {}, ...inner())]
      case 'em':
        return [element('em', {}, ...inner())]
      case 'del':
        return [element('del', {}, ...inner())]
      case 'codespan':
        return [element('code', {}, token.text)]
      case 'br':
        return [element('br')]
      case 'link':
        return [link(token as Tokens.Link, inner())]
      case 'image':
        // Fetching it would tell its server who reads this, and when.
        return [link(token as Tokens.Image, [`[image] ${token.text || token.href}`])]
      case 'text':
        return 'tokens' in token && token.tokens ? inner() : [decoded(token.text)]
      case 'escape':
        return [token.text]
      default:
        return [token.raw]
    }
  })
}

function link({ href }: { readonly href: string }, text: readonly (Node | string)[]): Node {
  if (!safeLink.test(href)) return element('span', {}, ...text)
  return element('a', { href, target: '_blank', rel: 'noopener noreferrer' }, ...text)
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

/** The lexer writes some characters as for HTML. */
function decoded(text: string): string {
  return text.replaceAll(/&(amp|lt|gt|quot|#39);/g, (whole, name: string) => entities[name] ?? whole)
}
