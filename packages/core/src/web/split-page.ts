import { estimateTextTokens } from '../context/token-estimate.ts'

/** How large the parts of a page may be. */
export interface PartLimits {
  readonly maxChars: number
  readonly maxTokens: number
}

/**
 * The parts of a text in their order, none longer than the limits and none of it lost: cut before a heading, a paragraph
 * or a line where one is near, and never inside a character.
 */
export function splitPage(text: string, { maxChars, maxTokens }: PartLimits): readonly string[] {
  const parts: string[] = []
  let rest = text
  while (rest !== '') {
    const most = charsWithin(rest, maxChars, maxTokens)
    const end = most >= rest.length ? rest.length : cutBefore(rest, most)
    parts.push(rest.slice(0, end))
    rest = rest.slice(end)
  }
  return parts
}

/** How much of the beginning of a text the limits allow; at least one character of it. */
function charsWithin(text: string, maxChars: number, maxTokens: number): number {
  let chars = Math.min(maxChars, text.length)
  for (;;) {
    const taken = estimateTextTokens(text.slice(0, chars))
    if (taken <= maxTokens || chars <= 2) return Math.max(chars, 2)
    chars = Math.floor(chars * Math.min(0.9, maxTokens / taken))
  }
}

function cutBefore(text: string, most: number): number {
  const nearest = most / 2
  for (const mark of ['\n#', '\n\n', '\n', ' ']) {
    const at = text.lastIndexOf(mark, most - 1)
    if (at >= nearest) return at + 1
  }
  const isLow = /[\uDC00-\uDFFF]/.test(text.charAt(most))
  return isLow && /[\uD800-\uDBFF]/.test(text.charAt(most - 1)) ? most - 1 : most
}
