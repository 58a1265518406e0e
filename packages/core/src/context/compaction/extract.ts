import type { TranscriptMessage } from '../../models/transcript.ts'
import type { ContextMeter } from '../context-meter.ts'
import { typedText } from '../references/attached-text.ts'
import { scoreLines } from './line-scores.ts'

export interface ExtractOptions {
  readonly previous: string | undefined
  readonly messages: readonly TranscriptMessage[]
  readonly maxTokens: number
  readonly focus: string | undefined
  readonly meter: ContextMeter
}

/** One line of an extract. */
export interface ExtractLine {
  readonly section: string
  readonly text: string
  /** How much the line counts for whose it is. */
  readonly weight: number
}

const sections = { said: '## What the user said', answered: '## What was answered', done: '## What was done' } as const

/** What people say counts more than what was done about it; what an earlier summary kept was picked before. */
const weights = { previous: 2, said: 3, answered: 1.2, done: 1 } as const

/** Longest line, by whose it is, characters. */
const longest = { said: 400, answered: 240, args: 100, result: 120 } as const

/** How the line begins that tells what this is. */
const noteBeginning = '(Picked out of the conversation'

/** Most lines that are taken from one message. */
const maxLinesOfMessage = 40

/**
 * A summary without a model, for when none could be had: the lines of an earlier summary and of the messages that say
 * most, in their order, as many as fit. The same input always gives the same extract.
 */
export function extractSummary({ previous, messages, maxTokens, focus, meter }: ExtractOptions): string {
  const lines = distinct([
    ...previousLines(previous ?? ''),
    ...messages.flatMap((message, at) => linesOf(message, messages, at)),
  ])
  const kept = pick(lines, maxTokens, focus, meter)
  const order = [...new Set(lines.map((line) => line.section))]
  const blocks = order.flatMap((section) => {
    const own = kept.filter((line) => line.section === section).map((line) => line.text)
    return own.length > 0 ? [[section, ...own].filter((text) => text !== '').join('\n')] : []
  })
  const left = lines.length - kept.length
  const note = `${noteBeginning} word for word, without a model${left > 0 ? `; ${left} lines that say less are left out` : ''}.)`
  return [...blocks, note].join('\n\n')
}

/** The lines that say most for their length, as many as fit. */
function pick(
  lines: readonly ExtractLine[],
  maxTokens: number,
  focus: string | undefined,
  meter: ContextMeter,
): ExtractLine[] {
  const scores = scoreLines(
    lines.map((line) => line.text),
    focus,
  )
  const ranked = lines
    .map((line, index) => {
      const tokens = meter.text(line.text) + 1
      return { line, index, tokens, rank: ((scores[index] ?? 0) * line.weight) / tokens ** 0.7 }
    })
    .sort((a, b) => b.rank - a.rank || b.index - a.index)
  // The headings and the note at the end.
  let room = maxTokens - 60
  const taken = ranked.filter(({ tokens }) => {
    if (tokens > room) return false
    room -= tokens
    return true
  })
  return taken.sort((a, b) => a.index - b.index).map(({ line }) => line)
}

/** An earlier summary or extract line by line, each under the heading it had. */
function previousLines(text: string): ExtractLine[] {
  let section = ''
  return text.split('\n').flatMap((line) => {
    const trimmed = line.trimEnd()
    if (/^#{1,4}\s/.test(trimmed)) section = trimmed
    if (trimmed === section || trimmed === '' || trimmed.startsWith(noteBeginning)) return []
    return [{ section, text: trimmed, weight: weights.previous * (section === sections.said ? 1.5 : 1) }]
  })
}

function linesOf(message: TranscriptMessage, all: readonly TranscriptMessage[], at: number): ExtractLine[] {
  if (message.role === 'user') {
    // What was attached to it can be read again.
    return sentences(typedText(message.content) || message.content, longest.said).map((text) =>
      line(sections.said, text, weights.said),
    )
  }
  if (message.role !== 'assistant') return []
  const answered = sentences(message.content, longest.answered).map((text) =>
    line(sections.answered, text, weights.answered),
  )
  const done = message.toolCalls.map((call) => {
    const result = all.slice(at + 1).find((later) => later.role === 'tool' && later.toolCallId === call.id)
    const outcome = oneLine(result?.content ?? '', longest.result)
    return line(sections.done, `${call.name} ${oneLine(call.arguments, longest.args)} → ${outcome}`, weights.done)
  })
  return [...answered, ...done]
}

function line(section: string, text: string, weight: number): ExtractLine {
  return { section, text: `- ${text}`, weight }
}

/** A text in lines, and long lines in sentences. */
function sentences(text: string, maxChars: number): string[] {
  return text
    .split('\n')
    .flatMap((row) => (row.length <= maxChars ? [row] : (row.match(/[^.!?。！？]+[.!?。！？]*\s*/gu) ?? [row])))
    .map((sentence) => oneLine(sentence, maxChars))
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence))
    .slice(0, maxLinesOfMessage)
}

function oneLine(text: string, maxChars: number): string {
  const flat = text.replaceAll(/\s+/g, ' ').trim()
  return flat.length <= maxChars ? flat : `${flat.slice(0, maxChars).toWellFormed()}…`
}

/** Of lines that say the same under one heading, the last. */
function distinct(lines: readonly ExtractLine[]): ExtractLine[] {
  const last = new Map(lines.map((each, index) => [`${each.section}\n${each.text}`, index]))
  return lines.filter((each, index) => last.get(`${each.section}\n${each.text}`) === index)
}
