import { open } from 'node:fs/promises'
import { toStoredMessage } from './message-row.ts'
import type { DatedMessage } from './store.ts'

/** Of a larger file the end is read, bytes; of more messages the last ones are taken. */
const [maxBytes, maxMessages] = [16 * 1024 * 1024, 5_000]

/** What a file `sessions/<id>.jsonl` of upstream says. */
export interface UpstreamTranscript {
  readonly messages: readonly DatedMessage[]
  /** The model that the conversation began with. */
  readonly model?: string
  /** Lines that nobody can read. */
  readonly damaged: number
  /** There is more than is taken: what came before. */
  readonly isCut: boolean
}

/** Reads one: a message in OpenAI's form on each line. `now`: for what has no time, ms since 1970. */
export async function readUpstreamTranscript(path: string, now: number): Promise<UpstreamTranscript> {
  const { text, isCut } = await readEnd(path)
  const messages: DatedMessage[] = []
  let [damaged, timestamp, model]: [number, number, string | undefined] = [0, now, undefined]
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue
    const fields = fieldsOf(line)
    if (!fields || typeof fields['role'] !== 'string') {
      damaged++
      continue
    }
    timestamp = timeOf(fields['timestamp']) ?? timestamp
    if (fields['role'] === 'session_meta' && typeof fields['model'] === 'string') model = fields['model']
    const message = messageOf(fields)
    if (message) messages.push({ timestamp, message })
  }
  const isMore = messages.length > maxMessages
  return {
    messages: messages.slice(-maxMessages),
    ...(model !== undefined && { model }),
    damaged,
    isCut: isCut || isMore,
  }
}

async function readEnd(path: string): Promise<{ readonly text: string; readonly isCut: boolean }> {
  await using file = await open(path, 'r')
  const { size } = await file.stat()
  const bytes = Buffer.alloc(Math.min(size, maxBytes))
  const { bytesRead } = await file.read(bytes, 0, bytes.length, size - bytes.length)
  const text = bytes.toString('utf8', 0, bytesRead)
  const isCut = size > maxBytes
  // The first line is a part of one.
  return { text: isCut ? text.slice(text.indexOf('\n') + 1) : text, isCut }
}

function fieldsOf(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Record<string, unknown>) : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** As a row of the store holds it. What is for the system is made anew; notes of the gateway are no messages. */
function messageOf(fields: Readonly<Record<string, unknown>>): DatedMessage['message'] | undefined {
  if (fields['role'] === 'system') return undefined
  const message = toStoredMessage({
    id: 0,
    session_id: '',
    timestamp: 0,
    role: String(fields['role']),
    content: contentOf(fields['content']),
    tool_call_id: textOf(fields['tool_call_id']),
    tool_name: textOf(fields['tool_name'] ?? fields['name']),
    tool_calls: jsonOf(fields['tool_calls']),
    finish_reason: textOf(fields['finish_reason']),
    reasoning: textOf(fields['reasoning']),
    reasoning_details: jsonOf(fields['reasoning_details']),
    codex_reasoning_items: jsonOf(fields['codex_reasoning_items']),
  })?.message
  const isEmpty = message?.content === '' && (message.role !== 'assistant' || message.toolCalls.length === 0)
  return isEmpty && message.role !== 'tool' ? undefined : message
}

/** Text, or the texts of its parts: the pictures among them are not kept. */
function contentOf(content: unknown): string {
  if (typeof content === 'string') return content.toWellFormed()
  if (!Array.isArray(content)) return content === null || content === undefined ? '' : JSON.stringify(content)
  const texts = (content as readonly unknown[]).flatMap((part) => {
    const text: unknown = typeof part === 'object' && part !== null && 'text' in part ? part.text : part
    return typeof text === 'string' ? text : []
  })
  return texts.join('\n').toWellFormed()
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

/** Upstream writes some of them as JSON within JSON. */
function jsonOf(value: unknown): string | null {
  if (value === null || value === undefined) return null
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Seconds, or a time of the machine's zone without the zone. */
function timeOf(value: unknown): number | undefined {
  const ms = typeof value === 'number' ? value * 1000 : typeof value === 'string' ? Date.parse(value) : Number.NaN
  return Number.isFinite(ms) && ms > 0 ? ms : undefined
}
