/** Words of a text about attacks: what it quotes, it does not mean. */
const discussion =
  /\b(?:prompt[- ]?injections?|injections?|jailbreaks?|jailbreak(?:ing)?|attack(?:s|er|ers)?|malicious|adversar(?:y|ies|ial)|red[- ]team\w{0,4}|exfiltrat\w{1,6}|phishing|threat model|special tokens?|chat templates?|chatml|tokeni[sz]er|scanner|vulnerabilit(?:y|ies)|spoof\w{0,4})\b/iu

/** How far before a match the discussion may stand, characters. */
const reach = 700

/**
 * Whether a match is a mention: a text about attacks that shows one, in quotes, as code or as an item of a list. What
 * stands open in a sentence is meant, whatever surrounds it.
 */
export function isMention(text: string, start: number, end: number): boolean {
  if (isNegated(text, start)) return true
  if (!discussion.test(text.slice(Math.max(0, start - reach), start) + text.slice(end, end + 200))) return false
  return isInCode(text, start) || isQuoted(text, start) || isQuoted(text, end) || isItem(text, start)
}

/** "Never ignore previous instructions" orders the contrary. */
function isNegated(text: string, start: number): boolean {
  return /(?:\bnever|\bnot|n['’]t|\bcannot)\s{1,3}$/iu.test(text.slice(Math.max(0, start - 12), start))
}

function isInCode(text: string, start: number): boolean {
  const line = text.lastIndexOf('\n', start - 1) + 1
  if (/^(?: {4}|\t)/u.test(text.slice(line, line + 8))) return true
  const before = text.slice(0, start)
  const fences = before.match(/^\s{0,3}(?:```|~~~)/gmu)?.length ?? 0
  if (fences % 2 === 1) return true
  return ((text.slice(line, start).match(/`/gu)?.length ?? 0) & 1) === 1
}

const quotes: readonly (readonly [open: string, close: string])[] = [
  ['"', '"'],
  ['“', '”'],
  ['«', '»'],
  ['„', '“'],
  ['‘', '’'],
]

function isQuoted(text: string, at: number): boolean {
  const before = text.slice(Math.max(text.lastIndexOf('\n', at - 1) + 1, at - 200), at)
  const lineEnd = text.indexOf('\n', at)
  const after = text.slice(at, Math.min(lineEnd === -1 ? text.length : lineEnd, at + 300))
  return quotes.some(([open, close]) => {
    const isOpen =
      open === close
        ? ((before.split(open).length - 1) & 1) === 1
        : before.lastIndexOf(open) > before.lastIndexOf(close)
    return isOpen && after.includes(close)
  })
}

function isItem(text: string, start: number): boolean {
  const line = text.slice(text.lastIndexOf('\n', start - 1) + 1, start)
  return /^\s{0,8}(?:[-*+•]|\d{1,3}[.)])\s{1,4}[`"“'*]{0,3}$/u.test(line) || /^\s{0,3}\|/u.test(line)
}
