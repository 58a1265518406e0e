import type { SearchHit, StoredMessage } from '../../sessions/store.ts'

/** A conversation as text. */
export interface Transcript {
  readonly text: string
  /** Where in it something was found, the best first. */
  readonly marks: readonly number[]
}

/** Part of a window that comes before what was found. */
const lead = 0.25

/** Messages as one text, with the places of some hits in it; hits on other messages are left out. */
export function transcriptOf(messages: readonly StoredMessage[], hits: readonly SearchHit[]): Transcript {
  const starts = new Map<number, { at: number; line: string }>()
  let text = ''
  for (const message of messages) {
    const line = lineOf(message)
    if (text !== '') text += '\n\n'
    starts.set(message.id, { at: text.length, line })
    text += line
  }
  const marks = hits.flatMap(({ messageId, snippet }) => {
    const start = starts.get(messageId)
    return start ? [start.at + matchIndex(start.line, snippet)] : []
  })
  return { text, marks }
}

/** The part of a transcript, of at most `chars`, that holds most of what was found; `…` stands for what is left out. */
export function partAround({ text, marks }: Transcript, chars: number): string {
  if (text.length <= chars) return text
  const [best = 0] = marks
  const starts = (marks.length > 0 ? marks : [best]).map((mark) =>
    Math.max(0, Math.min(mark - Math.floor(chars * lead), text.length - chars)),
  )
  const held = (start: number) => marks.filter((mark) => mark >= start && mark < start + chars).length
  // The best hit's own window, unless another holds more of the hits.
  const start = starts.reduce((kept, each) => (held(each) > held(kept) ? each : kept), starts[0]!)
  const shown = text
    .slice(start, start + chars)
    .trim()
    .toWellFormed()
  return `${start > 0 ? '…' : ''}${shown}${start + chars < text.length ? '…' : ''}`
}

/** Where the first match of a snippet is in the text that it is from. */
function matchIndex(text: string, snippet: string): number {
  const [, before = '', match = ''] = /^(?:\.\.\.)?(.*?)>>>(.*?)<<</s.exec(snippet) ?? []
  return Math.max(0, text.indexOf(before + match)) + before.length
}

function lineOf({ message }: StoredMessage): string {
  if (message.role === 'tool') return `[TOOL:${message.toolName}]: ${message.content}`
  const calls = message.role === 'assistant' ? message.toolCalls.map((call) => call.name) : []
  const called = calls.length > 0 ? `[Called: ${calls.join(', ')}] ` : ''
  return `[${message.role.toUpperCase()}]: ${called}${message.content}`
}
