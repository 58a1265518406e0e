import type { TranscriptMessage, UserMessage } from '../../models/transcript.ts'
import type { TodoItem } from '../../tools/todo-item.ts'

/** How a summary begins in a transcript; the first is upstream's too, the second that of its older versions. */
const beginnings = ['[CONTEXT COMPACTION', '[CONTEXT SUMMARY]:'] as const

const beginning = `${beginnings[0]} — REFERENCE ONLY]`
const end = '[END OF THE SUMMARY]'
const tasksHeading = '## Task list'

/** Whether a message stands for older ones. */
export function isSummaryMessage(message: TranscriptMessage): boolean {
  if (message.role !== 'user' && (message.role !== 'assistant' || message.toolCalls.length > 0)) return false
  return beginnings.some((text) => message.content.startsWith(text))
}

/** The message that stands for older ones. Not a request: it says so to the model. */
export function summaryMessage(facts: {
  readonly summary: string
  readonly todos: readonly TodoItem[]
  /** Where the messages are that it stands for. */
  readonly sessionId: string
}): UserMessage {
  const { summary, todos, sessionId } = facts
  const open = todos.filter((todo) => todo.status === 'pending' || todo.status === 'in_progress')
  const content = [
    beginning,
    `This summary stands for earlier messages of the conversation, which are kept as session ${sessionId}. It is background and asks for nothing; where it and a message outside of it differ, the message counts. Do not do again what it says is done.`,
    '',
    summary.trim(),
    ...(open.length > 0 ? ['', tasksHeading, JSON.stringify({ todos: open })] : []),
    '',
    end,
  ].join('\n')
  return { role: 'user', content }
}

/** The summary alone, without what is put around it. */
export function summaryIn(message: TranscriptMessage): string {
  const [, ...paragraphs] = message.content.split('\n\n')
  const isOurs = message.content.startsWith(`${beginning}\n`)
  const text = isOurs ? paragraphs.join('\n\n') : message.content.replace(/^\[CONTEXT [^\]]*\]:?/, '')
  return text
    .replace(new RegExp(`\\n${tasksHeading}\\n\\{.*\\}(?=\\n)`), '')
    .replace(end, '')
    .trim()
}

/** The task list that a summary carries, as JSON text `{"todos":[…]}`. */
export function taskListIn(message: TranscriptMessage): string | undefined {
  return new RegExp(`\\n${tasksHeading}\\n(\\{.*\\})\\n`).exec(message.content)?.[1]
}
