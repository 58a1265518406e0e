// The text of a `.env` file: reading it as shells' and dotenv's users write it, and changing one variable of it.

/** One variable as the file sets it. */
export interface DotenvEntry {
  readonly name: string
  /** Without quotes, escapes and comment; `${NAME}` is still in it. */
  readonly value: string
  /** Single quotes keep `${NAME}` as it stands. */
  readonly isLiteral: boolean
  /** From 1. */
  readonly line: number
  /** Where its line or lines begin and end in the text; entries that share a line share these. */
  readonly start: number
  readonly end: number
  readonly isExported: boolean
}

export interface Dotenv {
  readonly entries: readonly DotenvEntry[]
  /** Lines that set nothing and are no comment, and lines that were taken apart. */
  readonly problems: readonly { readonly line: number; readonly message: string }[]
}

const nameOnly = /^[A-Za-z_][A-Za-z0-9_]*$/

export function isVariableName(name: string): boolean {
  return nameOnly.test(name)
}

const assignment = /[ \t]*(export[ \t]+)?([A-Za-z_][A-Za-z0-9_.-]*)[ \t]*=[ \t]*/y
const blank = /[ \t]*(#[^\r\n]*)?(?=\r|\n|$)/y
const singleQuoted = /'((?:[^'\\]|\\[^])*)'[ \t]*(?:#[^\r\n]*)?(?=\r|\n|$)/y
const doubleQuoted = /"((?:[^"\\]|\\[^])*)"[ \t]*(?:#[^\r\n]*)?(?=\r|\n|$)/y
const restOfLine = /[^\r\n]*/y

/** Names that have a meaning; asked for only where a line looks as if two stood in it. */
export type KnownNames = () => ReadonlySet<string>

/**
 * Reads the text of a `.env` file. Where one line holds two or more assignments of `known` names run together (an
 * editor or script lost the line break), each counts.
 */
export function parseDotenv(text: string, known: KnownNames): Dotenv {
  const entries: DotenvEntry[] = []
  const problems: { line: number; message: string }[] = []
  let at = text.startsWith('\uFEFF') ? 1 : 0
  let line = 1
  while (at < text.length) {
    const start = at
    const head = match(assignment, text, at)
    if (!head) {
      if (!match(blank, text, at)) problems.push({ line, message: 'sets nothing: NAME=value is expected' })
      at = nextLine(text, at + (match(restOfLine, text, at)?.[0].length ?? 0))
    } else {
      const valueAt = at + head[0].length
      const { raw, value, quote } = readValue(text, valueAt)
      at = nextLine(text, valueAt + raw.length)
      const shared = { line, start, end: at, isExported: head[1] !== undefined }
      const name = head[2] ?? ''
      const parts = quote === '' ? splitRunTogether(name, value, known) : [[name, value] as const]
      if (parts.length > 1) {
        const names = parts.map(([part]) => part).join(', ')
        problems.push({ line, message: `${names} stand on one line; each was read by itself` })
      }
      for (const [part, partValue] of parts) {
        entries.push({ ...shared, name: part, value: partValue, isLiteral: quote === "'" })
      }
    }
    line += countLines(text, start, at)
  }
  return { entries, problems }
}

function readValue(text: string, at: number): { raw: string; value: string; quote: '' | "'" | '"' } {
  const single = match(singleQuoted, text, at)
  if (single) return { raw: single[0], value: (single[1] ?? '').replace(/\\([\\'])/g, '$1'), quote: "'" }
  const double = match(doubleQuoted, text, at)
  if (double) return { raw: double[0], value: unescape(double[1] ?? ''), quote: '"' }
  const raw = match(restOfLine, text, at)?.[0] ?? ''
  return { raw, value: withoutComment(raw).trimEnd(), quote: '' }
}

/** A `#` begins a comment only after white space: `abc#d` is a value. */
function withoutComment(raw: string): string {
  const at = raw.search(/[ \t]#/)
  return at === -1 ? raw : raw.slice(0, at)
}

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
}

function unescape(text: string): string {
  return text.replace(/\\(["'\\abfnrtv])/g, (_, letter: string) => escapes[letter] ?? letter)
}

function splitRunTogether(name: string, value: string, known: KnownNames): readonly (readonly [string, string])[] {
  if (!/[A-Z]_[A-Z0-9_]+=/.test(value) || !known().has(name)) return [[name, value]]
  // The longest name wins: `HF_TOKEN` over `TOKEN`.
  const names = [...known()].sort((a, b) => b.length - a.length)
  const parts: [string, string][] = []
  let current = name
  let from = 0
  for (const found of value.matchAll(new RegExp(`(?<!_)(?:${names.join('|')})(?==)`, 'g'))) {
    parts.push([current, value.slice(from, found.index).trimEnd()])
    current = found[0]
    from = found.index + found[0].length + 1
  }
  parts.push([current, value.slice(from)])
  return parts
}

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

function nextLine(text: string, at: number): number {
  if (text[at] === '\r' && text[at + 1] === '\n') return at + 2
  return Math.min(at + 1, text.length)
}

function countLines(text: string, from: number, to: number): number {
  return text.slice(from, to).match(/\r\n|\r|\n/g)?.length ?? 0
}

/**
 * The values that the text sets, later ones over earlier ones. `${NAME}` and `${NAME:-fallback}` are replaced from the
 * values before and from `environment`, except in single quotes.
 */
export function dotenvValues(
  { entries }: Dotenv,
  environment: Readonly<Record<string, string | undefined>>,
): ReadonlyMap<string, string> {
  const values = new Map<string, string>()
  for (const { name, value, isLiteral } of entries) {
    const expanded = isLiteral
      ? value
      : value.replace(
          /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g,
          (_, other: string, fallback: string | undefined) => {
            return (values.get(other) ?? environment[other]) || (fallback ?? '')
          },
        )
    values.set(name, expanded)
  }
  return values
}

/** The text with one variable set, or taken out when `value` is undefined; every other line stays as it is. */
export function editDotenv(text: string, name: string, value: string | undefined, known: KnownNames): string {
  const { entries } = parseDotenv(text, known)
  const mine = entries.filter((entry) => entry.name === name)
  // The last one counts when the file is read, so that is the one to change.
  const targets = value === undefined ? mine : mine.slice(-1)
  const newline = text.includes('\r\n') ? '\r\n' : '\n'
  let edited = text
  for (const start of new Set(targets.map((target) => target.start).toReversed())) {
    const together = entries.filter((entry) => entry.start === start)
    const lines = together.flatMap((entry) => {
      if (!targets.includes(entry)) return formatLine(entry, entry.value)
      return value === undefined ? [] : formatLine(entry, value)
    })
    const end = together[0]?.end ?? start
    const isLast = end === text.length && !/[\r\n]$/.test(text)
    const replacement = lines.join(newline) + (isLast || lines.length === 0 ? '' : newline)
    edited = edited.slice(0, start) + replacement + edited.slice(end)
  }
  if (mine.length > 0 || value === undefined) return edited
  const gap = edited === '' || /[\r\n]$/.test(edited) ? '' : newline
  return `${edited}${gap}${formatLine({ name, isExported: false }, value)}${newline}`
}

function formatLine({ name, isExported }: Pick<DotenvEntry, 'name' | 'isExported'>, value: string): string {
  return `${isExported ? 'export ' : ''}${name}=${quoteDotenv(value)}`
}

/** Bare where every reader takes it as it stands, else in single quotes. */
function quoteDotenv(value: string): string {
  if (/^[\w@%+=:,./~^*()[\]{}<>?;&|!-]*$/.test(value)) return value
  return `'${value.replace(/[\\']/g, '\\$&')}'`
}
