import { withPairedResults } from '../../agent/well-formed.ts'
import type { TranscriptMessage } from '../../models/transcript.ts'
import { isSummaryMessage } from './summary-message.ts'

/** Messages that must not be parted: an answer with the results of its calls, and with its continuation. */
export interface MessageGroup {
  readonly kind: 'user' | 'assistant' | 'summary'
  readonly messages: readonly TranscriptMessage[]
}

/** A history in groups; calls without a result get one that says so, results without a call are left out. */
export function groupsOf(history: readonly TranscriptMessage[]): MessageGroup[] {
  const groups: { kind: MessageGroup['kind']; messages: TranscriptMessage[] }[] = []
  for (const message of withPairedResults(history)) {
    const open = groups.at(-1)
    const last = open?.messages.at(-1)
    const kind = kindOf(message)
    const isContinued = kind === 'assistant' && open?.kind === kind && last?.role === 'assistant'
    if (open && (message.role === 'tool' || isContinued)) open.messages.push(message)
    else groups.push({ kind, messages: [message] })
  }
  return groups
}

export function messagesOf(groups: readonly MessageGroup[]): TranscriptMessage[] {
  return groups.flatMap((group) => group.messages)
}

/** Whether the model has yet to read the last results of a group. */
export function endsWithResults(group: MessageGroup | undefined): boolean {
  return group?.messages.at(-1)?.role === 'tool'
}

function kindOf(message: TranscriptMessage): MessageGroup['kind'] {
  if (isSummaryMessage(message)) return 'summary'
  return message.role === 'user' ? 'user' : 'assistant'
}
