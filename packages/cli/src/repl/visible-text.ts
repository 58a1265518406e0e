/**
 * A command as a person must see it to consent: its lines kept, every character that would be invisible, or would move
 * or reorder what is shown, written out as `\u{…}`.
 */
export function visibleText(text: string): string {
  return text.replace(/[^\S \n]|\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}/gu, (char) => {
    if (char === '\n') return char
    if (char === '\t') return '    '
    return `\\u{${char.codePointAt(0)?.toString(16)}}`
  })
}
