import { addressPatterns } from './address.ts'
import { deceptionPatterns } from './deception.ts'
import { decodedTexts, looksReversed, looksRotated, rotated } from './encoded.ts'
import { exfiltrationPatterns } from './exfiltration.ts'
import { findHiddenHtml } from './hidden-html.ts'
import { hasInvisibleText, withoutInvisible } from './invisible.ts'
import { foldLookAlikes } from './look-alikes.ts'
import { markerPatterns } from './markers.ts'
import { memoryPatterns } from './memory-places.ts'
import { isMention } from './mention.ts'
import { languagePatterns } from './override-languages.ts'
import { overridePatterns } from './override.ts'
import type { InjectionPattern, TextKind } from './pattern.ts'
import {
  countOrdersWithoutGaps,
  hasRunTogetherOrder,
  joinSplitWords,
  spellOutDigits,
  withoutMarkup,
} from './split-words.ts'
import { toolOrderPatterns } from './tool-orders.ts'

/** Looked for in the text as it reads. */
const patterns: readonly InjectionPattern[] = [
  ...overridePatterns,
  ...languagePatterns,
  ...deceptionPatterns,
  ...markerPatterns,
  ...exfiltrationPatterns,
  ...toolOrderPatterns,
  ...addressPatterns,
  ...memoryPatterns,
]

/** Looked for in what is disguised: there nothing is meant well. */
const orders: readonly InjectionPattern[] = [
  ...overridePatterns,
  ...deceptionPatterns,
  ...exfiltrationPatterns,
  ...toolOrderPatterns,
]

/** Matches of one pattern that are counted. */
const maxMatches = 20

/**
 * Ids of what a text holds and must not, where a model is to read it; empty for a harmless one. Takes time in proportion
 * to the text's length, whatever is in it.
 */
export function scanText(text: string, kind: TextKind): string[] {
  const found = new Set<string>()
  const isAscii = !/[^\0-\x7F]/.test(text)
  if (!isAscii && hasInvisibleText(text)) found.add('invisible_unicode')
  const plain = isAscii ? text : withoutInvisible(text).normalize('NFKC')
  const shown = countMatches(plain, patterns, kind)
  for (const [{ id }, { meant }] of shown) if (meant > 0) found.add(id)
  if (kind !== 'code') for (const id of findHiddenHtml(plain)) found.add(id)
  for (const disguised of disguises(plain)) {
    for (const [pattern, { all }] of countMatches(disguised, orders, kind)) {
      if (all > (shown.get(pattern)?.all ?? 0)) found.add(pattern.id)
    }
  }
  if (hasSplitOrder(foldLookAlikes(plain))) found.add('prompt_injection')
  for (const decoded of decodedTexts(plain)) {
    if (countMatches(foldLookAlikes(decoded), orders, kind).size > 0) found.add('encoded_payload')
  }
  return [...found]
}

/** Whether orders are written with gaps in wrong places, or with none. */
function hasSplitOrder(folded: string): boolean {
  if (hasRunTogetherOrder(folded) || hasRunTogetherOrder(joinSplitWords(folded) ?? '')) return true
  const count = countOrdersWithoutGaps(folded)
  if (count === 0) return false
  const written =
    folded.match(/(?:instruction|rule|guideline|direction|prompt|order|command|restriction)/gu)?.length ?? 0
  return written < count
}

/** The text in the forms that its disguises may be taken off to. */
function* disguises(plain: string): Generator<string> {
  const folded = foldLookAlikes(plain)
  if (folded !== plain.toLowerCase()) yield folded
  const bare = withoutMarkup(folded)
  if (bare !== undefined) yield bare
  const spelt = spellOutDigits(folded)
  if (spelt !== undefined) yield spelt
  const joined = joinSplitWords(folded)
  if (joined !== undefined) yield joined
  if (looksRotated(folded)) yield rotated(folded)
  if (looksReversed(folded)) yield Array.from(folded).toReversed().join('')
}

interface Matches {
  readonly all: number
  /** Without those that the text only mentions. */
  readonly meant: number
}

function countMatches(
  written: string,
  wanted: readonly InjectionPattern[],
  kind: TextKind,
): ReadonlyMap<InjectionPattern, Matches> {
  const found = new Map<InjectionPattern, Matches>()
  const lower = written.toLowerCase()
  const seen = new Map<string, boolean>()
  const isThere = (hint: string) => {
    const known = seen.get(hint)
    if (known !== undefined) return known
    const there = lower.includes(hint)
    seen.set(hint, there)
    return there
  }
  for (const one of wanted) {
    if (one.kinds && !one.kinds.includes(kind)) continue
    if (!one.hints.every((group) => group.some(isThere))) continue
    const text = one.minds === 'case' ? written : lower
    if (!one.pattern.test(text)) continue
    let all = 0
    let meant = 0
    for (const match of text.matchAll(new RegExp(one.pattern.source, `${one.pattern.flags}g`))) {
      all += 1
      if (kind === 'memory' || !isMention(text, match.index, match.index + match[0].length)) meant += 1
      if (all >= maxMatches) break
    }
    found.set(one, { all, meant })
  }
  return found
}
