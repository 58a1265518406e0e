import type { TranscriptMessage } from '../models/transcript.ts'
import type { TodoItem } from './todo-item.ts'

const statuses: ReadonlySet<unknown> = new Set<TodoItem['status']>(['pending', 'in_progress', 'completed', 'cancelled'])

/** The task list as the newest result of the `todo` tool in a transcript tells it; empty when none does. */
export function todosOf(history: readonly TranscriptMessage[]): readonly TodoItem[] {
  for (let at = history.length - 1; at >= 0; at--) {
    const message = history[at]
    if (message?.role !== 'tool' || !message.content.includes('"todos"')) continue
    if (message.toolName !== 'todo' && message.toolName !== '') continue
    const todos = listIn(message.content)
    if (todos) return todos
  }
  return []
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
