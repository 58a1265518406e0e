import { formatCount } from '../text/token-count.ts'
import type { ManualCompaction } from './compact-session.ts'

/** Why a compaction that a person asked for changed nothing. */
export function whyNotCompacted(compaction: Exclude<ManualCompaction, { status: 'compacted' }>): string {
  if (compaction.status === 'unchanged') {
    const { messagesBefore, tokensBefore, tokensAfter } = compaction.outcome
    const counts = `${messagesBefore} messages, about ${formatCount(tokensBefore)} tokens`
    return `Nothing was changed (${counts}): compacting would leave about ${formatCount(tokensAfter)} tokens.`
  }
  return refusals[compaction.reason]
}

const refusals = {
  disabled: 'Compaction is switched off (compression.enabled).',
  'too-short': 'There is too little to compact: fewer than 4 messages.',
  busy: 'A turn of this session is running.',
} as const
