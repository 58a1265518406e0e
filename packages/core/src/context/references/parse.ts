import type { Reference, ReferenceKind } from './reference.ts'

/** `@diff`, `@staged`, or a kind with its value, which may stand in quotes and have lines after it. */
const pattern =
  /(?<![\w/])@(?:(diff|staged)(?![\w/:-])|(file|folder|git|url):(?:`([^`\n]{1,4096})`|"([^"\n]{1,4096})"|'([^'\n]{1,4096})'|(\S{1,4096})))(:\d+(?:-\d+)?)?/g

const brackets: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' }

/** The references in a text, in their order. */
export function parseReferences(text: string): readonly Reference[] {
  return [...text.matchAll(pattern)].flatMap((match) => {
    const [raw, simple, kind, tick, double, single, bare, quotedLines] = match
    const start = match.index
    if (simple) {
      // A colon after it, as in "@diff:12", belongs to the text.
      const written = `@${simple}`
      return [
        {
          kind: simple as ReferenceKind,
          raw: written,
          value: '',
          lines: undefined,
          start,
          end: start + written.length,
        },
      ]
    }
    const quoted = tick ?? double ?? single
    if (quoted !== undefined) return [reference(kind, raw, quoted, quotedLines, start)]
    const value = withoutPunctuation(`${bare ?? ''}${quotedLines ?? ''}`)
    if (value === '') return []
    const [, path = value, lines] = kind === 'file' ? (/^(.+?)(:\d+(?:-\d+)?)$/.exec(value) ?? []) : []
    return [reference(kind, `@${kind}:${value}`, path, lines, start)]
  })
}

/** A text without its references, and without the gaps that they leave. */
export function withoutReferences(text: string, references: readonly Reference[]): string {
  let rest = ''
  let at = 0
  for (const { start, end } of references) {
    rest += text.slice(at, start)
    at = end
  }
  return (rest + text.slice(at))
    .replaceAll(/[ \t]{2,}/g, ' ')
    .replaceAll(/[ \t]+([,.;:!?]|$)/gm, '$1')
    .trim()
}

function reference(
  kind: string | undefined,
  raw: string,
  value: string,
  lines: string | undefined,
  start: number,
): Reference {
  const [first, last] = (lines ?? '').slice(1).split('-').map(Number)
  return {
    // The pattern knows no other kinds.
    kind: kind as ReferenceKind,
    raw,
    value: value.trim(),
    lines: lines === undefined || first === undefined ? undefined : { first, last: last ?? first },
    start,
    end: start + raw.length,
  }
}

/** A value as it was meant: what ends a sentence, or closes a bracket opened before it, is no part of it. */
function withoutPunctuation(written: string): string {
  let value = written
  // Not a path, but "and so on".
  if (/^\.{3,}/.test(value)) return ''
  while (!/(?:^|\/)\.{1,2}$/.test(value)) {
    const last = value.at(-1) ?? ''
    const opening = brackets[last]
    const isUnbalanced = opening !== undefined && count(value, last) > count(value, opening)
    if (last === '' || !(/[,.;:!?'"`，。、；：！？）」』】》”’]/.test(last) || isUnbalanced)) return value
    value = value.slice(0, -1)
  }
  return value
}

function count(text: string, letter: string): number {
  return text.split(letter).length - 1
}
