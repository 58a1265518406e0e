import type { Clock } from '../agent/clock.ts'
import type { TranscriptMessage } from '../models/transcript.ts'
import type { Database } from '../storage/database.ts'
import { countToolCalls, toColumns, toStoredMessage, transcriptRoleList } from './message-row.ts'
import { addSessionUsage, setSystemPrompt, unknownSession } from './session-table.ts'
import type { SessionNotes, StoredMessage } from './store.ts'

/** Adds a message at the end of a session and counts it there; its row id. */
export function insertMessage(db: Database, clock: Clock, sessionId: string, message: TranscriptMessage): number {
  const counted = db
    .prepare(
      `UPDATE sessions SET message_count = COALESCE(message_count, 0) + 1,
         tool_call_count = COALESCE(tool_call_count, 0) + ? WHERE id = ?`,
    )
    .run(toolCallsOf(message), sessionId)
  if (Number(counted.changes) === 0) throw unknownSession(sessionId)
  return insertRow(db, clock, sessionId, message)
}

/** A message with what is noted of its session: its row id, and the session's model where the message came of a call. */
export function insertNotedMessage(
  db: Database,
  clock: Clock,
  { sessionId, message, notes }: NotedMessage,
): { readonly id: number; readonly model?: string } {
  const { usage, systemPrompt } = notes
  if (!usage) {
    if (systemPrompt !== undefined) setSystemPrompt(db, sessionId, systemPrompt)
    return { id: insertMessage(db, clock, sessionId, message) }
  }
  const model = addSessionUsage(db, sessionId, usage, { toolCalls: toolCallsOf(message), systemPrompt })
  return { id: insertRow(db, clock, sessionId, message), model }
}

interface NotedMessage {
  readonly sessionId: string
  readonly message: TranscriptMessage
  readonly notes: SessionNotes
}

function toolCallsOf(message: TranscriptMessage): number {
  return message.role === 'assistant' ? message.toolCalls.length : 0
}

function insertRow(db: Database, clock: Clock, sessionId: string, message: TranscriptMessage): number {
  const columns = toColumns(message)
  const inserted = db
    .prepare(
      `INSERT INTO messages (session_id, role, content, tool_call_id, tool_calls, tool_name, timestamp,
         finish_reason, reasoning, reasoning_details, codex_reasoning_items)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      sessionId,
      columns.role,
      columns.content,
      columns.toolCallId,
      columns.toolCalls,
      columns.toolName,
      clock.now() / 1000,
      columns.finishReason,
      columns.reasoning,
      columns.reasoningDetails,
      columns.codexReasoningItems,
    )
  return Number(inserted.lastInsertRowid)
}

/** A session's transcript in the order in which it was written. */
export function selectMessages(db: Database, sessionId: string): StoredMessage[] {
  return db
    .prepare(`SELECT * FROM messages WHERE session_id = ? AND role IN (${transcriptRoleList}) ORDER BY id`)
    .all(sessionId)
    .flatMap((row) => toStoredMessage(row) ?? [])
}

/** Removes a session's messages from `fromId` on, and counts them off; their row ids. */
export function deleteMessagesFrom(db: Database, sessionId: string, fromId: number): number[] {
  const rows = db
    .prepare('DELETE FROM messages WHERE session_id = ? AND id >= ? RETURNING id, tool_calls')
    .all(sessionId, fromId)
  const calls = rows.reduce((sum, row) => sum + countToolCalls(row['tool_calls']), 0)
  const update = db.prepare(
    `UPDATE sessions SET message_count = MAX(0, COALESCE(message_count, 0) - ?),
       tool_call_count = MAX(0, COALESCE(tool_call_count, 0) - ?) WHERE id = ?`,
  )
  if (Number(update.run(rows.length, calls, sessionId).changes) === 0) throw unknownSession(sessionId)
  return rows.map((row) => Number(row['id']))
}
