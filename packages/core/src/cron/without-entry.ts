/**
 * The text of a jobs file without one entry of its list, everything else as it is. `text` is one that can be read, with a
 * character for each byte or more; `place` is from 0.
 */
export function withoutEntry(text: string, place: number): string {
  const spans = elements(text, listStart(text))
  const [before, span, after] = [spans[place - 1], spans[place], spans[place + 1]]
  if (!span) return text
  // With the comma that parts it from the next one, or from the one before.
  const start = after || !before ? span.start : before.end
  return text.slice(0, start) + text.slice(after ? after.start : span.end)
}

interface Span {
  readonly start: number
  readonly end: number
}

/** Where the list of jobs begins: the whole, or the field `jobs` of it, the last one of this name. */
function listStart(text: string): number {
  const start = text.search(/[[{]/)
  if (text[start] === '[') return start
  let found = start
  let at = next(text, start + 1)
  while (text[at] === '"') {
    const key = { start: at, end: valueEnd(text, at) }
    const value = next(text, next(text, key.end) + 1)
    // Control characters, which texts may hold as they are, make no name of ours.
    if (JSON.parse(text.slice(key.start, key.end).replaceAll(/[^ -\uFFFF]/g, ' ')) === 'jobs') found = value
    at = next(text, next(text, valueEnd(text, value)) + 1)
  }
  return found
}

function elements(text: string, list: number): readonly Span[] {
  const spans: Span[] = []
  let at = next(text, list + 1)
  while (at < text.length && text[at] !== ']') {
    const span = { start: at, end: valueEnd(text, at) }
    spans.push(span)
    at = next(text, span.end)
    if (text[at] === ',') at = next(text, at + 1)
  }
  return spans
}

/** The next thing that is no space. */
function next(text: string, at: number): number {
  let here = at
  while (/\s/.test(text[here] ?? '')) here++
  return here
}

function valueEnd(text: string, start: number): number {
  let depth = 0
  let at = start
  do {
    const char = text[at]
    if (char === '"') at = stringEnd(text, at)
    else {
      if (char === '[' || char === '{') depth++
      else if (char === ']' || char === '}') depth--
      at++
    }
  } while (at < text.length && (depth > 0 || !/[\s,:\]}]/.test(text[at] ?? '')))
  return at
}

function stringEnd(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}
