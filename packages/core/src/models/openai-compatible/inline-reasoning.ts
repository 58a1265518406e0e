import { overlap } from './overlap.ts'

/** A piece of an answer's text, told apart. */
export type TextPiece = { readonly type: 'text' | 'reasoning'; readonly text: string }

/** Tells reasoning between tags at the beginning of an answer from the answer itself, while it streams. */
export interface ReasoningSplitter {
  feed(text: string): readonly TextPiece[]
  /** What was held back when the answer ended. */
  end(): readonly TextPiece[]
  /** Whether the answer itself has begun: what comes is text alone. */
  readonly isOver: boolean
}

const openTags = ['<think>', '<thinking>', '<thought>', '<reasoning>', '<REASONING_SCRATCHPAD>'] as const

/**
 * Only a tag that an answer begins with counts: further on it is part of what the model says, e.g. about such tags. An
 * answer may begin with several such blocks.
 */
export function createReasoningSplitter(): ReasoningSplitter {
  let held = ''
  let hadBlock = false
  /** Where we are: at a possible tag, inside one (its closing tag), or in the answer. */
  let state: 'start' | 'answer' | { readonly closing: string } = 'start'

  const step = (pieces: TextPiece[], ended: boolean): boolean => {
    if (state === 'answer') {
      if (held !== '') pieces.push({ type: 'text', text: held })
      held = ''
      return false
    }
    if (state === 'start') {
      const begun = held.trimStart()
      const open = openTags.find((tag) => begun.startsWith(tag))
      if (open) {
        held = begun.slice(open.length)
        state = { closing: `</${open.slice(1)}` }
        return true
      }
      if (!ended && openTags.some((tag) => tag.startsWith(begun))) return false
      if (hadBlock) held = begun
      state = 'answer'
      splitter.isOver = true
      return true
    }
    return inside(state.closing, pieces, ended)
  }
  const inside = (closing: string, pieces: TextPiece[], ended: boolean): boolean => {
    const at = held.indexOf(closing)
    const kept = at < 0 && !ended ? overlap(held, closing) : 0
    const reasoning = at < 0 ? held.slice(0, held.length - kept) : held.slice(0, at)
    if (reasoning !== '') pieces.push({ type: 'reasoning', text: reasoning })
    held = at < 0 ? held.slice(held.length - kept) : held.slice(at + closing.length)
    if (at < 0) return false
    hadBlock = true
    state = 'start'
    return true
  }
  const run = (ended: boolean): readonly TextPiece[] => {
    const pieces: TextPiece[] = []
    while (step(pieces, ended));
    return pieces
  }
  // Plain values, here and in the readers of answers: a getter in an object that each call makes is a shape of its own to
  // V8, which keeps all that the object knows until it looks through the whole memory.
  const splitter = {
    feed: (text: string) => {
      held += text
      return run(false)
    },
    end: () => run(true),
    isOver: false,
  }
  return splitter
}
