import type { ToolSchema } from '../../model.ts'
import { overlap } from '../overlap.ts'
import { couldBeBareCall, isBareCall, parseBareCalls } from './bare-json.ts'
import type { InlineCall, InlineCallFormat } from './format.ts'
import { mistral } from './mistral.ts'
import { deepseek, kimi, llama } from './special-tokens.ts'
import { functionTag, longcatTag, toolCallTag } from './tagged.ts'

const formats: readonly InlineCallFormat[] = [toolCallTag, longcatTag, functionTag, mistral, llama, deepseek, kimi]

/** Something that has begun and not ended yet. Kept in pieces: joining them each time would take quadratic time. */
interface Block {
  /** Undefined: an answer that may be nothing but calls. */
  readonly format: InlineCallFormat | undefined
  readonly parts: string[]
}

export type InlinePiece = { readonly type: 'text'; readonly text: string } | ({ readonly type: 'call' } & InlineCall)

/** Tells tool calls that stand in an answer's text from the text, while it streams. */
export interface InlineCallSplitter {
  feed(text: string): readonly InlinePiece[]
  /** What was held back when the answer ended. */
  end(): readonly InlinePiece[]
}

/**
 * A mark in a code block or right after a backtick is part of what the model says. A block that names no call, and a
 * broken one that names no tool of `tools`, is given as text.
 */
export function createInlineCallSplitter(tools: readonly ToolSchema[]): InlineCallSplitter {
  let held = ''
  let hasCalls = false
  let state: 'start' | 'text' | Block = 'start'
  const fences = createFenceCount()

  const say = (pieces: InlinePiece[], length: number): void => {
    const text = held.slice(0, length)
    held = held.slice(length)
    if (text === '') return
    fences.add(text)
    pieces.push({ type: 'text', text })
  }
  const step = (pieces: InlinePiece[], ended: boolean): boolean => {
    if (state === 'text') return inText(pieces, ended)
    if (state !== 'start') return inBlock(state, pieces, ended)
    if (isBareCall(held)) {
      state = { format: undefined, parts: [] }
      return true
    }
    if (!ended && couldBeBareCall(held)) return false
    state = 'text'
    return true
  }
  const inText = (pieces: InlinePiece[], ended: boolean): boolean => {
    const next = firstMark(held)
    if (!next) {
      const kept = Math.max(...formats.map((format) => overlap(held, format.open)))
      // At the end it is text, unless calls came before: then it is the next one, cut off.
      say(pieces, ended && !hasCalls ? held.length : held.length - kept)
      return false
    }
    say(pieces, next.at)
    const quoted = fences.isOpen() || fences.endsWithBacktick()
    if (quoted) say(pieces, next.format.open.length)
    else {
      held = held.slice(next.format.open.length)
      state = { format: next.format, parts: [] }
    }
    return true
  }
  const inBlock = ({ format, parts }: Block, pieces: InlinePiece[], ended: boolean): boolean => {
    const close = format?.close
    const at = close === undefined ? -1 : held.indexOf(close)
    if (at < 0 && !ended) {
      const kept = close === undefined ? 0 : overlap(held, close)
      parts.push(held.slice(0, held.length - kept))
      held = held.slice(held.length - kept)
      return false
    }
    const body = parts.join('') + (at < 0 ? held : held.slice(0, at))
    held = at < 0 || close === undefined ? '' : held.slice(at + close.length)
    state = 'text'
    const calls = format
      ? format.parse(body, tools).filter((call) => isMeant(call, tools))
      : parseBareCalls(body, tools)
    const isCutOff = at < 0 && hasCalls
    hasCalls ||= calls.length > 0
    if (calls.length > 0) pieces.push(...calls.map((call) => ({ type: 'call' as const, ...call })))
    else if (!isCutOff) {
      const text = `${format?.open ?? ''}${body}${at < 0 ? '' : close}`
      fences.add(text)
      pieces.push({ type: 'text', text })
    }
    return held !== ''
  }
  const run = (ended: boolean): readonly InlinePiece[] => {
    const pieces: InlinePiece[] = []
    while (step(pieces, ended));
    return pieces
  }
  return {
    feed: (text) => {
      held += text
      return run(false)
    },
    end: () => run(true),
  }
}

function firstMark(text: string): { readonly at: number; readonly format: InlineCallFormat } | undefined {
  return formats
    .map((format) => ({ at: text.indexOf(format.open), format }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => a.at - b.at)[0]
}

/** A tool that is not offered counts only with arguments: the model is then told that there is no such tool. */
function isMeant({ name, arguments: text }: InlineCall, tools: readonly ToolSchema[]): boolean {
  return tools.some((tool) => tool.name === name) || isFilledObject(text)
}

function isFilledObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && Object.keys(value).length > 0
  } catch {
    return false
  }
}

/** Counts code fences in text that comes in pieces. */
function createFenceCount() {
  let count = 0
  let tail = ''
  return {
    add: (text: string): void => {
      if (tail === '' && !text.includes('`')) return
      const seen = tail + text
      count += seen.split('```').length - 1
      // A fence that is cut between two pieces is counted with the second; one counted already is not kept.
      tail = /`{0,2}$/.exec(seen.replaceAll('```', ' '))?.[0] ?? ''
    },
    isOpen: () => count % 2 === 1,
    endsWithBacktick: () => tail !== '',
  }
}
