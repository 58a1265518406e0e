/**
 * An instruction's form as a regular expression over the whole text, in any case: a space stands for any blanks,
 * `{text}` for anything and `{line}` for anything on one line, both without blanks at their ends (so that matching
 * takes no more than quadratic time), `{rest}` for all that is left.
 */
export function pattern({ raw }: TemplateStringsArray): RegExp {
  const source = (raw[0] ?? '')
    .replaceAll(' ', String.raw`\s+`)
    .replaceAll('{text}', String.raw`(\S(?:[^]*?\S)??)`)
    .replaceAll('{line}', String.raw`(\S(?:[^\n]*?\S)??)`)
    .replaceAll('{rest}', String.raw`(\S[^]*)`)
  return new RegExp(`^${source}$`, 'iu')
}
