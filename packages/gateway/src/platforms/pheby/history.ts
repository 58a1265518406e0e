import type { StoredMessage } from '@hermes/core/sessions/store.ts'
import type { PhebyEvent, PhebyOf } from '@hermes/protocol/pheby/types.ts'
import { visibleText } from '../../turn/deliverables.ts'
import { interrupted } from '../../turn/run-chat-turn.ts'
import type { Run } from './run.ts'
import type { Delivery } from './store/deliveries.ts'
import { timestamp } from './timestamp.ts'

export type HistoryMessage = PhebyOf<PhebyEvent, 'conversation.history'>['messages'][number]

/** Most that the texts of one history may come to, UTF-16 units; the oldest go. */
const maxChars = 4 * 1024 * 1024

/** How a session tells what was brought to its chat from elsewhere. */
const deliveredFrom = /^\[Delivered from [^\]\n]*\] /

export interface HistorySources {
  readonly transcript: readonly StoredMessage[]
  /** What was brought to the conversation and no session holds. */
  readonly deliveries: readonly Delivery[]
  /** The run that goes on: what it says is not history yet. */
  readonly run: Run | undefined
  readonly limit: number
}

/** The conversation as a person reads it: what both have said, without tools and files. */
export function historyMessages({ transcript, deliveries, run, limit }: HistorySources): readonly HistoryMessage[] {
  const before = run ? beforeRun(transcript, run) : { rows: transcript, asked: undefined }
  const brought = new Set(deliveries.map(({ text }) => text.trim()))
  const said = before.rows.flatMap((row) => messageOf(row, brought) ?? [])
  const merged = merge(said, deliveries.map(ofDelivery))
  const asked = run ? askedBy(run, before.asked) : []
  return newest([...merged.map(({ message }) => message), ...asked], limit)
}

/** The part of a transcript that was there before a run, and the row of the message that began it. */
function beforeRun(transcript: readonly StoredMessage[], { text, startedAt }: Run) {
  const own = text?.trim()
  const at = transcript.findLastIndex(
    ({ message }) => own !== undefined && message.role === 'user' && message.content.startsWith(own),
  )
  const row = transcript[at]
  // An equal text of long ago began another run, unless a compaction has written everything anew.
  if (row && row.timestamp >= startedAt - 1000) return { rows: transcript.slice(0, at), asked: row }
  return { rows: transcript.filter(({ timestamp }) => timestamp < startedAt), asked: undefined }
}

function askedBy({ text, runId, startedAt }: Run, row: StoredMessage | undefined): readonly HistoryMessage[] {
  if (text === undefined) return []
  const messageId = row ? `m${row.id}` : `u-${runId}`
  return [{ message_id: messageId, role: 'user', text, ts: timestamp(row?.timestamp ?? startedAt) }]
}

function messageOf({ id, message, timestamp: at }: StoredMessage, brought: ReadonlySet<string>): Dated | undefined {
  if (message.role !== 'user' && message.role !== 'assistant') return undefined
  if (message.role === 'user' && message.content === interrupted) return undefined
  const whole = message.role === 'assistant' ? visibleText(message.content) : message.content
  const text = whole.replace(deliveredFrom, '').trim()
  // What both hold is shown once.
  if (text === '' || (whole !== text && deliveredFrom.test(whole) && brought.has(text))) return undefined
  return { at, message: { message_id: `m${id}`, role: message.role, text, ts: timestamp(at) } }
}

function ofDelivery({ messageId, text, at }: Delivery): Dated {
  return { at, message: { message_id: messageId, role: 'assistant', text, ts: timestamp(at) } }
}

interface Dated {
  readonly at: number
  readonly message: HistoryMessage
}

/** Puts what was brought between what was said, whose order stays as it is. */
function merge(said: readonly Dated[], brought: readonly Dated[]): readonly Dated[] {
  const left = [...brought]
  const merged: Dated[] = []
  for (const one of said) {
    for (let next = left[0]; next && next.at < one.at; next = left[0]) {
      merged.push(next)
      left.shift()
    }
    merged.push(one)
  }
  return [...merged, ...left]
}

function newest(messages: readonly HistoryMessage[], limit: number): readonly HistoryMessage[] {
  const kept: HistoryMessage[] = []
  let chars = 0
  for (const message of messages.slice(-limit).toReversed()) {
    chars += message.text.length
    if (chars > maxChars && kept.length > 0) break
    kept.push(message)
  }
  return kept.toReversed()
}
