import { unknown } from './fields.ts'
import type { WordPart } from './syntax.ts'

/** A character of text, or a part that is no text. */
type Token = { readonly character: string; readonly quoted: boolean } | Exclude<WordPart, { type: 'text' }>

const mostResults = 64
/** Longest word whose braces are looked at, characters; a longer one is as good as unknown. */
const longestWord = 2000

/** The words that `a{b,c}d` and `{1..3}` stand for; the word itself where there are no such braces. */
export function expandBraces(parts: readonly WordPart[]): (readonly WordPart[])[] {
  const hasBraces = parts.some((part) => part.type === 'text' && !part.quoted && part.text.includes('{'))
  if (!hasBraces) return [parts]
  const tokens = toTokens(parts)
  if (tokens.length > longestWord) return [[{ type: 'text', text: unknown, quoted: false }]]
  return expand(tokens).slice(0, mostResults).map(toParts)
}

function expand(tokens: readonly Token[]): (readonly Token[])[] {
  for (const [open, token] of tokens.entries()) {
    if (!isPlain(token, '{')) continue
    const found = alternatives(tokens, open)
    if (!found) continue
    const before = tokens.slice(0, open)
    const after = expand(tokens.slice(found.close + 1))
    const middles = found.words.flatMap((word) => expand(word)).slice(0, mostResults)
    return middles.flatMap((middle) => after.map((rest) => [...before, ...middle, ...rest])).slice(0, mostResults)
  }
  return [tokens]
}

function alternatives(tokens: readonly Token[], open: number) {
  let depth = 0
  let start = open + 1
  const words: (readonly Token[])[] = []
  for (let index = open; index < tokens.length; index++) {
    const token = tokens[index]
    if (isPlain(token, '{')) depth++
    if (isPlain(token, ',') && depth === 1) {
      words.push(tokens.slice(start, index))
      start = index + 1
    }
    if (!isPlain(token, '}')) continue
    depth--
    if (depth > 0) continue
    const last = tokens.slice(start, index)
    if (words.length > 0) return { words: [...words, last], close: index }
    const sequence = range(last)
    return sequence ? { words: sequence, close: index } : undefined
  }
  return undefined
}

function range(tokens: readonly Token[]): (readonly Token[])[] | undefined {
  const text = tokens.map((token) => ('character' in token ? token.character : '\0')).join('')
  const ends = /^(?:(-?\d+)\.\.(-?\d+)|([A-Za-z])\.\.([A-Za-z]))(?:\.\.-?\d+)?$/.exec(text)
  if (!ends) return undefined
  const isNumber = ends[1] !== undefined
  const from = isNumber ? Number(ends[1]) : (ends[3]?.charCodeAt(0) ?? 0)
  const to = isNumber ? Number(ends[2]) : (ends[4]?.charCodeAt(0) ?? 0)
  const count = Math.min(Math.abs(to - from) + 1, mostResults)
  return Array.from({ length: count }, (_, n) => {
    const value = from + (to < from ? -n : n)
    return toTokens([{ type: 'text', text: isNumber ? String(value) : String.fromCharCode(value), quoted: false }])
  })
}

function isPlain(token: Token | undefined, character: string): boolean {
  return token !== undefined && 'character' in token && !token.quoted && token.character === character
}

function toTokens(parts: readonly WordPart[]): Token[] {
  return parts.flatMap((part): Token[] => {
    if (part.type !== 'text') return [part]
    // An empty quoted text makes a word too.
    if (part.text === '') return [{ character: '', quoted: part.quoted }]
    return Array.from(part.text, (character) => ({ character, quoted: part.quoted }))
  })
}

function toParts(tokens: readonly Token[]): WordPart[] {
  return tokens.map((token) =>
    'character' in token ? { type: 'text', text: token.character, quoted: token.quoted } : token,
  )
}
