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
    withoutFrame(summary).trim(),
    ...(open.length > 0 ? ['', tasksHeading, JSON.stringify({ todos: open })] : []),
    '',
    end,
  ].join('\n')
  return { role: 'user', content }
}

/**
 * A summary that cannot end itself, begin another one or bring a task list of its own: what it was made from may have
 * wanted it to, and what stands behind its end would count as the person's words.
 */
function withoutFrame(summary: string): string {
  const frame = /\[\s*END OF THE SUMMARY\s*\]|\[CONTEXT (?:COMPACTION|SUMMARY)[^\]\n]{0,40}\]?:?/gi
  return summary.replaceAll(frame, '').replaceAll(new RegExp(`^${tasksHeading}(?=\\s*$)`, 'gm'), `#${tasksHeading}`)
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
