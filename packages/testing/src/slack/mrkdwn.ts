/** A piece of a message as Slack reads it. */
export type MrkdwnPiece =
  | { readonly type: 'text' | 'code' | 'block'; readonly text: string }
  | { readonly type: 'link'; readonly url: string; readonly label: string }
  /** A mention or another thing in angle brackets: `@U1`, `#C1`, `!here`. */
  | { readonly type: 'token'; readonly text: string }

const pattern = /```([\s\S]*?)```|`([^`\n]+)`|<([^<>\n]*)>/g

/**
 * Reads mrkdwn as https://docs.slack.dev/messaging/formatting-message-text tells it. Throws where one of the three control
 * characters stands for itself.
 */
export function parseMrkdwn(text: string): readonly MrkdwnPiece[] {
  const pieces: MrkdwnPiece[] = []
  let at = 0
  for (const found of text.matchAll(pattern)) {
    addText(pieces, text.slice(at, found.index))
    const [whole, block, code, token] = found
    if (block !== undefined) pieces.push({ type: 'block', text: decoded(block.replace(/^\n/, '').replace(/\n$/, '')) })
    else if (code !== undefined) pieces.push({ type: 'code', text: decoded(code) })
    else pieces.push(readToken(token ?? ''))
    at = found.index + whole.length
  }
  addText(pieces, text.slice(at))
  return pieces
}

/** What people read, without links' addresses. */
export function shownText(text: string): string {
  return parseMrkdwn(text)
    .map((piece) => (piece.type === 'link' ? piece.label : piece.text))
    .join('')
}

function addText(pieces: MrkdwnPiece[], text: string): void {
  if (text !== '') pieces.push({ type: 'text', text: decoded(text.replaceAll(/^>/gm, '&gt;')) })
}

function readToken(token: string): MrkdwnPiece {
  if (/^[@#!]/.test(token)) return { type: 'token', text: decoded(token) }
  const [url = '', label] = token.split('|')
  if (!/^(?:https?:\/\/|mailto:|tel:)/i.test(url)) throw new Error(`no token: <${token}>`)
  return { type: 'link', url: decoded(url), label: decoded(label ?? url) }
}

function decoded(text: string): string {
  if (/[<>]|&(?!(?:amp|lt|gt);)/.test(text)) throw new Error(`not escaped: ${JSON.stringify(text)}`)
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&')
}
