import { typedText } from '../context/references/attached-text.ts'
import { type Row, optional, text } from './message-row.ts'
import type { Session, SessionListing } from './store.ts'

/** Longest preview in a list, in characters (code points). */
const previewLength = 60

export function toSession(row: Row): Session {
  return {
    id: text(row['id']),
    source: text(row['source']),
    userId: optional(row['user_id']),
    model: optional(row['model']),
    systemPrompt: optional(row['system_prompt']),
    parentId: optional(row['parent_session_id']),
    startedAt: milliseconds(row['started_at']),
    endedAt: row['ended_at'] === null ? undefined : milliseconds(row['ended_at']),
    endReason: optional(row['end_reason']),
    messageCount: count(row['message_count']),
    toolCallCount: count(row['tool_call_count']),
    usage: {
      inputTokens: count(row['input_tokens']),
      outputTokens: count(row['output_tokens']),
      cacheReadTokens: count(row['cache_read_tokens']),
      cacheWriteTokens: count(row['cache_write_tokens']),
      reasoningTokens: count(row['reasoning_tokens']),
    },
    estimatedCostUsd: row['estimated_cost_usd'] === null ? undefined : count(row['estimated_cost_usd']),
    ...(row['actual_cost_usd'] !== null && { actualCostUsd: count(row['actual_cost_usd']) }),
    ...(row['cost_status'] !== null && { costStatus: text(row['cost_status']) }),
    ...(row['cost_source'] !== null && { costSource: text(row['cost_source']) }),
    title: optional(row['title']),
  }
}

/** A row of a list: a session's columns, `first_text` (start of the first user message) and `last_active`. */
export function toListing(row: Row): SessionListing {
  return {
    ...toSession(row),
    preview: preview(text(row['first_text'])),
    lastActiveAt: milliseconds(row['last_active']),
  }
}

/** The beginning of what the person wrote, of which `firstText` has the beginning. */
function preview(firstText: string): string {
  const characters = Array.from((typedText(firstText) || firstText).replace(/[\r\n]+/g, ' ').trim())
  const start = characters.slice(0, previewLength).join('')
  return characters.length > previewLength ? `${start}...` : start
}

function milliseconds(seconds: unknown): number {
  return Math.round(Number(seconds) * 1000)
}

function count(value: unknown): number {
  return Number(value ?? 0)
}
