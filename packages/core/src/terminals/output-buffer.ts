/** Keeps the head and the tail of a text of any length. */
export interface OutputBuffer {
  push(text: string): void
  /** What was kept; between head and tail a line says how much is missing. */
  read(): { readonly text: string; readonly omittedChars: number }
}

/** How far from the cut a space or line end is looked for, so that words (and secrets) are not cut in two. */
const wordReach = 512

/** At most `maxChars` are kept: the first 40 % and the last 60 %. */
export function createOutputBuffer(maxChars: number): OutputBuffer {
  const headChars = Math.floor(maxChars * 0.4)
  const tailChars = maxChars - headChars
  let head = ''
  let total = 0
  const tail = createTail(tailChars)
  return {
    push(text) {
      total += text.length
      const room = headChars - head.length
      if (room > 0) head += text.slice(0, room)
      if (text.length > room) tail.push(room > 0 ? text.slice(room) : text)
    },
    read() {
      if (total <= maxChars) return { text: head + tail.read(), omittedChars: 0 }
      const first = endAtWord(head)
      const last = startAtWord(tail.read())
      const omittedChars = total - first.length - last.length
      return { text: `${first}\n\n[... ${omittedChars} of ${total} characters left out ...]\n\n${last}`, omittedChars }
    },
  }
}

/** Cuts a whole text in the same way. */
export function keepHeadAndTail(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text
  const buffer = createOutputBuffer(maxChars)
  buffer.push(text)
  return buffer.read().text
}

/** The last characters of a text of any length. */
export interface Tail {
  push(text: string): void
  read(): string
  /** All characters pushed so far. */
  readonly total: number
}

export function createTail(maxChars: number): Tail {
  let kept = ''
  let total = 0
  return {
    get total() {
      return total
    },
    push(text) {
      total += text.length
      kept += text.length > maxChars ? text.slice(-maxChars) : text
      // Cutting only now and then keeps the cost of many small pieces linear.
      if (kept.length > maxChars * 2) kept = kept.slice(-maxChars)
    },
    read() {
      if (kept.length > maxChars) kept = kept.slice(-maxChars)
      return isLowSurrogate(kept, 0) ? kept.slice(1) : kept
    },
  }
}

function endAtWord(text: string): string {
  const near = Math.max(0, text.length - wordReach)
  const space = /\s\S*$/.exec(text.slice(near))
  if (space) return text.slice(0, near + space.index)
  return isLowSurrogate(text, text.length) || !isHighSurrogate(text) ? text : text.slice(0, -1)
}

function startAtWord(text: string): string {
  const space = /\s/.exec(text.slice(0, wordReach))
  return space ? text.slice(space.index + 1) : text
}

function isLowSurrogate(text: string, index: number): boolean {
  const code = text.charCodeAt(index)
  return code >= 0xdc00 && code <= 0xdfff
}

function isHighSurrogate(text: string): boolean {
  const code = text.charCodeAt(text.length - 1)
  return code >= 0xd800 && code <= 0xdbff
}
