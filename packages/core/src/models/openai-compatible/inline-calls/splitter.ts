import type { ToolSchema } from '../../model.ts'
import { overlap } from '../inline-reasoning.ts'
import { couldBeBareCall, parseBareCalls } from './bare-json.ts'
import type { InlineCall, InlineCallFormat } from './format.ts'
import { mistral } from './mistral.ts'
import { deepseek, kimi, llama } from './special-tokens.ts'
import { functionTag, longcatTag, toolCallTag } from './tagged.ts'

const formats: readonly InlineCallFormat[] = [toolCallTag, longcatTag, functionTag, mistral, llama, deepseek, kimi]

/** A block that has begun and not ended yet. */
interface Block {
  readonly format: InlineCallFormat
  /** How far its end has been looked for, so that a long block is not searched again with every piece. */
  searched: number
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
    if (state === 'start') {
      if (!ended && couldBeBareCall(held.slice(0, 100))) return false
      const calls = ended ? parseBareCalls(held, tools) : []
      if (calls.length > 0) {
        held = ''
        pieces.push(...calls.map((call) => ({ type: 'call' as const, ...call })))
      }
      state = 'text'
      return true
    }
    return state === 'text' ? inText(pieces, ended) : inBlock(state, pieces, ended)
  }
  const inText = (pieces: InlinePiece[], ended: boolean): boolean => {
    const next = firstMark(held)
    if (!next) {
      const kept = ended ? 0 : Math.max(...formats.map((format) => overlap(held, format.open)))
      say(pieces, held.length - kept)
      return false
    }
    say(pieces, next.at)
    const quoted = fences.isOpen() || fences.endsWithBacktick()
    if (quoted) say(pieces, next.format.open.length)
    else {
      held = held.slice(next.format.open.length)
      state = { format: next.format, searched: 0 }
    }
    return true
  }
  const inBlock = (block: Block, pieces: InlinePiece[], ended: boolean): boolean => {
    const { format } = block
    const at = format.close === undefined ? -1 : held.indexOf(format.close, block.searched)
    if (at < 0 && !ended) {
      block.searched = Math.max(0, held.length - (format.close?.length ?? 0))
      return false
    }
    const body = at < 0 ? held : held.slice(0, at)
    const close = at < 0 ? '' : format.close
    const calls = format.parse(body, tools).filter((call) => isMeant(call, tools))
    held = at < 0 ? '' : held.slice(at + (format.close?.length ?? 0))
    if (calls.length === 0) pieces.push({ type: 'text', text: `${format.open}${body}${close}` })
    else pieces.push(...calls.map((call) => ({ type: 'call' as const, ...call })))
    state = 'text'
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

function isMeant({ name, arguments: text }: InlineCall, tools: readonly ToolSchema[]): boolean {
  return tools.some((tool) => tool.name === name) || isJsonObject(text)
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null
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
      const seen = tail + text
      count += seen.split('```').length - 1
      // A fence that is cut between two pieces is counted with the second; one counted already is not kept.
      tail = /`{0,2}$/.exec(seen.replaceAll('```', ' '))?.[0] ?? ''
    },
    isOpen: () => count % 2 === 1,
    endsWithBacktick: () => tail !== '',
  }
}
