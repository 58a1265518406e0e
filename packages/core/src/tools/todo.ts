import { z } from 'zod'
import type { TodoItem } from './todo-item.ts'
import { defineTool, jsonResult } from './tool.ts'

/** Most entries of a list, and longest text of one: a session keeps its list in memory. */
const maxItems = 200
const maxContentChars = 2_000

const statuses = ['pending', 'in_progress', 'completed', 'cancelled'] as const

const item = z.object({
  id: z.string(),
  content: z.string().optional(),
  status: z.enum(statuses).optional(),
})

type Change = z.infer<typeof item>

const input = z.object({
  todos: z.array(z.preprocess(forgiven, item)).optional().describe('Leave out to read the list'),
  merge: z.boolean().default(false).describe('false: todos is the new list; true: change or add these, by id'),
})

export const todo = defineTool({
  name: 'todo',
  toolset: 'todo',
  description:
    'Your task list for this session, for work of three or more steps: list them in order, keep one in_progress, mark each completed as soon as it is done. Returns the whole list.',
  input,
  concurrency: 'exclusive',
  preview: ({ todos }) => (todos ? `${todos.length} ${todos.length === 1 ? 'entry' : 'entries'}` : 'read'),
  async run({ todos, merge }, { session }) {
    if (todos) {
      const list = applied(merge ? session.todos : [], todos)
      if (list.length > maxItems) {
        return jsonResult(
          { error: `At most ${maxItems} entries; this makes ${list.length}. Nothing was changed.` },
          'error',
        )
      }
      session.todos = list
    }
    return jsonResult({ todos: session.todos, summary: summaryOf(session.todos) })
  },
})

/** `list` with the changes made: by id, new ones at the end, the last of several for one id wins. */
function applied(list: readonly TodoItem[], changes: readonly Change[]): TodoItem[] {
  const items = new Map(list.map((entry) => [entry.id, entry]))
  for (const { id, content, status } of changes) {
    const old = items.get(id)
    const text = content ?? old?.content ?? ''
    items.set(id, {
      id,
      content: text === '' ? '(no description)' : text.slice(0, maxContentChars).toWellFormed(),
      status: status ?? old?.status ?? 'pending',
    })
  }
  return [...items.values()]
}

function summaryOf(list: readonly TodoItem[]): Record<string, number> {
  const counts = statuses.map((status) => [status, list.filter((entry) => entry.status === status).length])
  return { total: list.length, ...Object.fromEntries(counts) }
}

/** Models write numbers as ids and statuses of their own; what is meant is plain enough to go on. */
function forgiven(value: unknown): unknown {
  if (typeof value === 'string') return { id: value, content: value }
  if (typeof value !== 'object' || value === null) return value
  const { id, content, status } = value as Record<string, unknown>
  return {
    id: textOf(id) || '?',
    content: textOf(content),
    status: status === undefined ? undefined : (statuses.find((known) => known === status) ?? 'pending'),
  }
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim()
  return typeof value === 'number' ? String(value) : undefined
}
