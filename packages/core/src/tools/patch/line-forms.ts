/** A way to see lines in which small differences vanish. Two lines are taken for one when their forms are equal. */
export interface LineForm {
  readonly name: string
  of(line: string): string
}

/** From strict to loose. */
export const lineForms: readonly LineForm[] = [
  { name: 'exact', of: (line) => line },
  { name: 'space at line ends', of: (line) => line.trimEnd() },
  { name: 'indentation', of: (line) => line.trim() },
  { name: 'white space', of: (line) => collapsed(line.trim()) },
  { name: 'typography', of: (line) => collapsed(plainTypography(line).trim()) },
]

/** Runs of blanks as one. */
export function collapsed(text: string): string {
  return text.replaceAll(/[ \t]+/g, ' ')
}

/** Typographic characters that models and editors put for plain ones, and back. Each becomes one of the same length. */
const typography: Readonly<Record<string, string>> = {
  '\u2018': "'",
  '\u2019': "'",
  '\u201A': "'",
  '\u201B': "'",
  '\u201C': '"',
  '\u201D': '"',
  '\u201E': '"',
  '\u201F': '"',
  '\u2010': '-',
  '\u2011': '-',
  '\u2012': '-',
  '\u2013': '-',
  '\u2014': '-',
  '\u2015': '-',
  '\u2212': '-',
  '\u00A0': ' ',
  '\u2002': ' ',
  '\u2003': ' ',
  '\u2009': ' ',
  '\u202F': ' ',
  '\u3000': ' ',
}

/** Smart quotes, dashes and special spaces as the plain ones; the ellipsis stays, being longer than one character. */
export function plainTypography(text: string): string {
  return text.replaceAll(
    /[\u2018-\u201F\u2010-\u2015\u2212\u00A0\u2002\u2003\u2009\u202F\u3000]/g,
    (mark) => typography[mark] ?? mark,
  )
}

/** The blanks that a line begins with. */
export function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? ''
}

/** Where `wanted` stands in `lines`, by one form: numbers of first lines, overlapping ones included. */
export function findLines(lines: readonly string[], wanted: readonly string[], form: LineForm, from = 0): number[] {
  const forms = wanted.map((line) => form.of(line))
  if (forms.length === 0 || (form.name !== 'exact' && forms.every((text) => text === ''))) return []
  const seen = form.name === 'exact' ? lines : lines.map((line) => form.of(line))
  const found: number[] = []
  for (let first = from; first + forms.length <= lines.length; first++) {
    if (forms.every((text, index) => seen[first + index] === text)) found.push(first)
  }
  return found
}
