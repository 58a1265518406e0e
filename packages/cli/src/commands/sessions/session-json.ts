import type { SearchHit, SessionListing } from '@hermes/core/sessions/store.ts'

/** A session for programs: the columns of `state.db` by their names, times in seconds, and what lists add. */
export function sessionJson(session: SessionListing) {
  return {
    id: session.id,
    source: session.source,
    user_id: session.userId ?? null,
    model: session.model ?? null,
    parent_session_id: session.parentId ?? null,
    started_at: session.startedAt / 1000,
    ended_at: session.endedAt === undefined ? null : session.endedAt / 1000,
    end_reason: session.endReason ?? null,
    message_count: session.messageCount,
    tool_call_count: session.toolCallCount,
    input_tokens: session.usage.inputTokens,
    output_tokens: session.usage.outputTokens,
    title: session.title ?? null,
    preview: session.preview,
    last_active: session.lastActiveAt / 1000,
  }
}

/** A search hit for programs, named as upstream names its fields. */
export function hitJson(hit: SearchHit) {
  return {
    id: hit.messageId,
    session_id: hit.sessionId,
    role: hit.role,
    snippet: hit.snippet,
    timestamp: hit.timestamp / 1000,
    tool_name: hit.toolName ?? null,
    source: hit.source,
    model: hit.model ?? null,
    session_started: hit.sessionStartedAt / 1000,
    title: hit.sessionTitle ?? null,
    score: hit.score,
  }
}
