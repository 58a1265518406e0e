/**
 * Parts of a text of at most so many bytes each as UTF-8: it is cut behind a sentence where one ends in the second half
 * of a part, else behind a word, else between two characters. Put together they are the text.
 */
export function splitByBytes(text: string, maxBytes: number): readonly string[] {
  const parts: string[] = []
  let rest = text
  while (Buffer.byteLength(rest) > maxBytes) {
    const whole = longestStart(rest, maxBytes)
    const cut = lastEnd(whole, /[.!?。！？\n]+\s*/g) ?? lastEnd(whole, /\s+/g) ?? whole.length
    parts.push(rest.slice(0, cut))
    rest = rest.slice(cut)
  }
  return rest === '' ? parts : [...parts, rest]
}

function longestStart(text: string, maxBytes: number): string {
  let bytes = 0
  let end = 0
  for (const character of text) {
    bytes += Buffer.byteLength(character)
    if (bytes > maxBytes && end > 0) break
    end += character.length
  }
  return text.slice(0, end)
}

function lastEnd(text: string, pattern: RegExp): number | undefined {
  let last: number | undefined
  for (const { index, 0: found } of text.matchAll(pattern)) last = index + found.length
  return last !== undefined && last > text.length / 2 ? last : undefined
}
