import type { TurnEvent } from '@hermes/core/agent/events.ts'
import { formatCount } from '@hermes/core/text/token-count.ts'

type CompactionEvent = Extract<TurnEvent, { type: 'compaction-start' | 'compaction' }>

/** What a compaction does, or has done, in one line. */
export function compactionLine(event: CompactionEvent): string {
  if (event.type === 'compaction-start')
    return `Compacting the conversation (about ${formatCount(event.tokens)} tokens) …`
  const { messagesBefore, messagesAfter, tokensBefore, tokensAfter, fromSessionId } = event
  const counts = `${messagesBefore} → ${messagesAfter} messages, about ${formatCount(tokensBefore)} → ${formatCount(tokensAfter)} tokens`
  return `Compacted (${methods[event.method]}): ${counts}. The whole is kept as session ${fromSessionId}.`
}

const methods = {
  pruned: 'old tool output cleared',
  summary: 'earlier part summarised',
  extract: 'main lines of the earlier part kept',
} as const
