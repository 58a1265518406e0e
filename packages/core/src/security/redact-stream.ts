// Redaction of text that comes in pieces. What is let go must be redacted as it would be within the whole text, so a
// piece is cut only where no secret can go across: between two words, and not where a line has begun that may name one.
import type { Redactor } from './redact.ts'
import { endOfKeyBody, keyBegin } from './secrets/private-keys.ts'
import { namedOption, namedStart, namedStartSoFar } from './secrets/words.ts'

/** Takes text in pieces and gives it back redacted, a little later. */
export interface RedactStream {
  /** What can be shown of what came so far. */
  push(text: string): string
  /** The rest, at the end of the text. */
  end(): string
}

/** Text is never held back for longer than this; a secret across such a border can be missed. */
const maxHeldChars = 65_536

/**
 * Where more than this is held back, characters, it is looked at again when it is longer by a part, or a line ends: with
 * each piece, that would take the square of its length.
 */
const heldToWaitFor = 1_024
const growth = 1.25

/** Times that the end may be moved back; where that is not enough, all waits. */
const maxMoves = 12

/** The rest of the line belongs to what stands here. */
const untilLineEnd = new RegExp(`${namedStart}|(?:curl|wget)[ \\t]`, 'i')

/** The text ends within something that may go on to be a secret. */
const unfinished = new RegExp(
  `(?:${namedStartSoFar}|${namedOption}\\S*|\\bbearer[ \\t]{1,4}\\S*|\\blogin(?:[ \\t]{1,4}\\S{0,64}){0,3}|-----BEGIN(?: [A-Z0-9]{0,20}){0,5}-{0,5})$`,
  'i',
)

const lineBreaks = /[\n\r\u2028\u2029]/g

/** Redacts a stream of text: the outputs joined are what `redact` makes of the inputs joined. */
export function redactStream(redactor: Redactor): RedactStream {
  let held = ''
  /** Something of the line that `held` goes on with was let go already. */
  let isMidLine = false
  /** Nothing of `held` could be let go, nor can be before its last word ends. */
  let isWithinWord = false
  /** How long `held` is when it is looked at next, where no line ends before. */
  let nextLook = 0

  const release = (end: number): string => {
    const text = held.slice(0, end)
    held = held.slice(end)
    // What stands before on the line matters only in that it is there: a line of YAML begins with its key.
    const redacted = isMidLine ? redactor.redact(`| ${text}`).slice(2) : redactor.redact(text)
    const head = text.slice(lineStartIn(text))
    isMidLine = head === text ? isMidLine || !isBlank(head) : !isBlank(head)
    return redacted
  }

  return {
    push(text) {
      held += text
      const isTooLong = held.length > maxHeldChars
      if (!isTooLong && isWithinWord && !/\s/.test(text)) return ''
      if (!isTooLong && held.length < nextLook && !/[\n\r\u2028\u2029]/.test(text)) return ''
      const end = isTooLong ? held.length - maxHeldChars / 2 : safeEnd(held, isMidLine, redactor)
      isWithinWord = end === 0
      nextLook = isWithinWord && held.length > heldToWaitFor ? held.length * growth : 0
      return end === 0 ? '' : release(end)
    },
    end: () => (held === '' ? '' : release(held.length)),
  }
}

/** Up to where the text can be let go. */
function safeEnd(text: string, isMidLine: boolean, redactor: Redactor): number {
  // A carriage return may be the half of a line break.
  const whole = text.endsWith('\r') ? text.slice(0, -1) : text
  for (let [end, moves] = [whole.length, 0]; moves < maxMoves; moves++) {
    const inLine = safeEndInLine(whole.slice(0, end), isMidLine)
    const next = Math.min(inLine, openKey(whole, inLine), ...openValues(whole, inLine, redactor))
    // What moves the end back may have moved it into the middle of something else.
    if (next === end || next === 0) return next
    end = next
  }
  return 0
}

/** The end of the text, or where its last line may name a secret, or where its last word begins. */
function safeEndInLine(text: string, isMidLine: boolean): number {
  const lineStart = lineStartIn(text)
  const line = text.slice(lineStart)
  const risk = untilLineEnd.exec(line) ?? unfinished.exec(line)
  const word = wordStart(line, line.length)
  const end = wordStart(line, Math.min(risk?.index ?? word, word))
  const isLineHeld = isBlank(line.slice(0, end)) && !(isMidLine && lineStart === 0)
  return lineStart + (isLineHeld ? 0 : end)
}

/** Where a private key begins of which more may come. */
function openKey(text: string, end: number): number {
  for (const begin of text.matchAll(keyBegin)) {
    const rest = text.slice(endOfKeyBody(text, begin.index + begin[0].length), end)
    if (begin.index < end && keyLineSoFar.test(rest)) return begin.index
  }
  return end
}

/** The line after the key so far is not complete: it may be one of the key's, or tell where the key ends. */
const keyLineSoFar = /^\r?\n?[^\r\n]*$/

/** Where a known value with white space in it has begun that goes across `end`, or may. */
function openValues(text: string, end: number, redactor: Redactor): readonly number[] {
  return (redactor.spacedValues?.() ?? []).flatMap((value) => {
    const across = text.indexOf(value, Math.max(0, end - value.length + 1))
    if (across !== -1 && across < end) return [across]
    for (let length = Math.min(value.length - 1, text.length); length > 0; length--) {
      if (text.endsWith(value.slice(0, length))) return [text.length - length]
    }
    return []
  })
}

function lineStartIn(text: string): number {
  let start = 0
  for (const found of text.matchAll(lineBreaks)) start = found.index + 1
  return start
}

function wordStart(line: string, at: number): number {
  let start = at
  while (start > 0 && !/\s/.test(line[start - 1] ?? '')) start--
  return start
}

function isBlank(text: string): boolean {
  return /^[\s"'-]*$/.test(text)
}
