import { isSummaryMessage, taskListIn } from '../context/compaction/summary-message.ts'
import type { TranscriptMessage } from '../models/transcript.ts'
import type { TodoItem } from './todo-item.ts'

const statuses: ReadonlySet<unknown> = new Set<TodoItem['status']>(['pending', 'in_progress', 'completed', 'cancelled'])

/**
 * The task list as a transcript tells it last: in a result of the `todo` tool, or in the summary that stands for what was
 * said before. Empty when none does.
 */
export function todosOf(history: readonly TranscriptMessage[]): readonly TodoItem[] {
  for (let at = history.length - 1; at >= 0; at--) {
    const message = history[at]
    const text = message?.content.includes('"todos"') ? listText(message) : undefined
    const todos = text === undefined ? undefined : listIn(text)
    if (todos) return todos
  }
  return []
}

function listText(message: TranscriptMessage): string | undefined {
  // Upstream does not always name the tool.
  if (message.role === 'tool') return ['todo', ''].includes(message.toolName) ? message.content : undefined
  return isSummaryMessage(message) ? taskListIn(message) : undefined
}

/** Undefined for a result that tells no list: an error, or one that was shortened since. */
function listIn(content: string): readonly TodoItem[] | undefined {
  try {
    const value: unknown = JSON.parse(content)
    const list = typeof value === 'object' && value !== null && 'todos' in value ? value.todos : undefined
    return Array.isArray(list) ? list.filter(isItem) : undefined
  } catch {
    // What was shortened is no JSON any more.
    return undefined
  }
}

function isItem(value: unknown): value is TodoItem {
  if (typeof value !== 'object' || value === null) return false
  const { id, content, status } = value as Readonly<Record<string, unknown>>
  return typeof id === 'string' && typeof content === 'string' && statuses.has(status)
}
