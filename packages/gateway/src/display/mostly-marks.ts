const marks = new Set(Buffer.from('*_`~[]()<>!#-+.=\\'))

/** Stretches of a text that are looked at, and what of one has to be marks, characters. */
const stretch = 1_000
const most = 0.45

/**
 * Whether a long stretch of a text is little but signs of Markdown, as models write that repeat themselves: parsers take the
 * square of their number, and nobody reads it better with them made into lists in lists.
 */
export function isMostlyMarks(text: string): boolean {
  for (let start = 0; start + stretch <= text.length; start += stretch) {
    let shown = 0
    let signs = 0
    for (let at = start; at < start + stretch; at++) {
      const code = text.charCodeAt(at)
      if (code > 32) shown++
      if (marks.has(code)) signs++
    }
    if (shown > stretch / 4 && signs > shown * most) return true
  }
  return false
}
