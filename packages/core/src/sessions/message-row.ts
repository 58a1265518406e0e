import { createHash } from 'node:crypto'
import type { SQLOutputValue } from 'node:sqlite'
import type { AssistantMessage, ToolCall, TranscriptMessage } from '../models/transcript.ts'
import type { StoredMessage } from './store.ts'

export type Row = Readonly<Record<string, SQLOutputValue>>

/** Roles that are part of a transcript, for SQL; other rows of `messages` are notes of a face (`session_meta`). */
export const transcriptRoleList = `'system', 'user', 'assistant', 'tool'`

/** The columns of `messages` that a message decides. */
export interface MessageColumns {
  readonly role: TranscriptMessage['role']
  readonly content: string | null
  readonly toolCallId: string | null
  readonly toolCalls: string | null
  readonly toolName: string | null
  readonly finishReason: string | null
  readonly reasoning: string | null
  readonly reasoningDetails: string | null
  readonly codexReasoningItems: string | null
}

const empty: Omit<MessageColumns, 'role' | 'content'> = {
  toolCallId: null,
  toolCalls: null,
  toolName: null,
  finishReason: null,
  reasoning: null,
  reasoningDetails: null,
  codexReasoningItems: null,
}

/** A message as upstream stores it. */
export function toColumns(message: TranscriptMessage): MessageColumns {
  switch (message.role) {
    case 'assistant':
      return assistantColumns(message)
    case 'tool':
      return {
        ...empty,
        role: 'tool',
        content: message.content,
        toolCallId: message.toolCallId,
        toolName: message.toolName,
      }
    default:
      return { ...empty, role: message.role, content: message.content }
  }
}

/** A stored row as a message; undefined for rows that are no part of a transcript. Never fails on what a row holds. */
export function toStoredMessage(row: Row): StoredMessage | undefined {
  const message = toMessage(row)
  if (!message) return undefined
  return {
    id: Number(row['id']),
    sessionId: text(row['session_id']),
    timestamp: Math.round(Number(row['timestamp']) * 1000),
    message,
  }
}

function toMessage(row: Row): TranscriptMessage | undefined {
  const content = text(row['content'])
  switch (row['role']) {
    case 'system':
    case 'user':
      return { role: row['role'], content }
    case 'tool':
      return { role: 'tool', toolCallId: text(row['tool_call_id']), toolName: text(row['tool_name']), content }
    case 'assistant':
      return assistantMessage(row, content)
    default:
      return undefined
  }
}

function assistantMessage(row: Row, content: string): AssistantMessage {
  const details = parseJson(row['reasoning_details'])
  const items = parseJson(row['codex_reasoning_items'])
  return {
    role: 'assistant',
    content,
    toolCalls: readToolCalls(row['tool_calls']),
    ...(row['reasoning'] !== null && { reasoning: text(row['reasoning']) }),
    ...(details !== undefined && { reasoningDetails: details }),
    ...(items !== undefined && { codexReasoningItems: items }),
    ...(row['finish_reason'] !== null && { finishReason: text(row['finish_reason']) }),
  }
}

function assistantColumns(message: AssistantMessage): MessageColumns {
  const hasCalls = message.toolCalls.length > 0
  return {
    ...empty,
    role: 'assistant',
    // Upstream leaves the text of an answer that only calls tools NULL.
    content: hasCalls && message.content === '' ? null : message.content,
    toolCalls: hasCalls ? JSON.stringify(message.toolCalls.map(storedCall)) : null,
    finishReason: message.finishReason ?? null,
    reasoning: message.reasoning ?? null,
    reasoningDetails: jsonOrNull(message.reasoningDetails),
    codexReasoningItems: jsonOrNull(message.codexReasoningItems),
  }
}

/** Upstream's shape of a call: OpenAI's, and the ids that the Responses wire tells apart. */
function storedCall({ id, name, arguments: args, extra }: ToolCall) {
  return {
    id,
    call_id: id,
    response_item_id: id.startsWith('fc_') ? id : `fc_${id.replace(/^call_/, '')}`,
    type: 'function',
    function: { name, arguments: args },
    ...(extra && { extra_content: extra }),
  }
}

/** The calls of a `tool_calls` column; what is no call is left out. Read by hand: the schema library is not on this path. */
function readToolCalls(column: SQLOutputValue | undefined): ToolCall[] {
  const stored = parseJson(column)
  if (!Array.isArray(stored)) return []
  return (stored as readonly unknown[]).flatMap((entry, index) => {
    const call = asFields(entry)
    const fn = asFields(call?.['function'])
    if (!call || !fn || typeof fn['name'] !== 'string') return []
    const name = fn['name']
    const args = typeof fn['arguments'] === 'string' ? fn['arguments'] : JSON.stringify(fn['arguments'] ?? {})
    const id = [call['id'], call['call_id']].find((one) => typeof one === 'string' && one !== '')
    const extra = asFields(call['extra_content'])
    return [
      {
        id: typeof id === 'string' ? id : derivedCallId(name, args, index),
        name,
        arguments: args,
        ...(extra && { extra }),
      },
    ]
  })
}

function asFields(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined
}

/** The id that upstream gives to a call that came without one. */
function derivedCallId(name: string, args: string, index: number): string {
  return `call_${createHash('sha256').update(`${name}:${args}:${index}`).digest('hex').slice(0, 12)}`
}

/** How many calls a `tool_calls` column holds, counted as upstream counts them. */
export function countToolCalls(column: SQLOutputValue | undefined): number {
  const stored = parseJson(column)
  return Array.isArray(stored) ? stored.length : 0
}

/** A JSON column's value; undefined when it is NULL or broken. */
export function parseJson(column: SQLOutputValue | undefined): unknown {
  if (typeof column !== 'string') return undefined
  try {
    return JSON.parse(column)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function jsonOrNull(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value)
}

/** A text column, whatever type its value has. */
export function text(value: SQLOutputValue | undefined): string {
  if (typeof value === 'string') return value
  if (value instanceof Uint8Array) return new TextDecoder().decode(value)
  return value === null || value === undefined ? '' : String(value)
}

/** A text column that may be NULL. */
export function optional(value: SQLOutputValue | undefined): string | undefined {
  return value === null || value === undefined ? undefined : text(value)
}
