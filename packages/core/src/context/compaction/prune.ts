import type { ToolMessage, TranscriptMessage } from '../../models/transcript.ts'
import type { MessageGroup } from './message-groups.ts'
import { shortenCalls } from './shorten.ts'

/** Results up to this length stay as they are. */
const shortResultChars = 600

/** Longest arguments that stay as they are. */
const shortArgumentChars = 1_500

/** What is quoted of a cleared result: its beginning and its end. */
const [beginningChars, endChars] = [140, 80]

/**
 * Clears what old tools gave out and shortens what they were given, without a model: each result names its size, its
 * beginning and its end, and where the whole is. The newest task list stays.
 */
export function prune(groups: readonly MessageGroup[], sessionId: string): MessageGroup[] {
  const newestTasks = groups
    .flatMap((group) => group.messages)
    .findLast((message) => message.role === 'tool' && message.toolName === 'todo')
  const pruned = (message: TranscriptMessage): TranscriptMessage => {
    if (message.role !== 'tool') return shortenCalls(message, shortArgumentChars)
    const isLong = message.content.length > shortResultChars && message !== newestTasks
    return isLong ? cleared(message, sessionId) : message
  }
  return groups.map((group) => ({ ...group, messages: group.messages.map(pruned) }))
}

function cleared(message: ToolMessage, sessionId: string): ToolMessage {
  const { content } = message
  const quote = (text: string) => JSON.stringify(text.replaceAll(/\s+/g, ' ').trim().toWellFormed())
  return {
    ...message,
    content: `[Output of ${content.length} characters cleared to save room; the whole is in session ${sessionId}. It began ${quote(content.slice(0, beginningChars))} and ended ${quote(content.slice(-endChars))}.]`,
  }
}
