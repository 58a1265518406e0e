import type { Clock } from '@hermes/core/agent/clock.ts'
import type { Session, StoredMessage } from '@hermes/core/sessions/store.ts'
import { cleanLine, cleanText } from '../../repl/clean-text.ts'
import { dateTimeText } from './time-text.ts'

/** Lines of a tool's result that are shown. */
const resultLines = 12

/** A session's conversation for people. */
export function conversationText(session: Session, messages: readonly StoredMessage[], clock: Clock): string {
  const facts = [session.id, session.title, session.source, session.model].filter((fact) => fact !== undefined)
  const parts = messages.map(({ message, timestamp }) => {
    const heading = `── ${headingOf(message)} · ${dateTimeText(timestamp, clock)}`
    return [heading, ...linesOf(message)].join('\n')
  })
  return [cleanLine(facts.join(' · ')), ...parts].join('\n\n')
}

function headingOf(message: StoredMessage['message']): string {
  return message.role === 'tool' ? cleanLine(`result of ${message.toolName || 'a tool'}`) : message.role
}

function linesOf(message: StoredMessage['message']): string[] {
  const lines = cleanText(message.content)
    .split('\n')
    .map((line) => line.trimEnd())
  if (message.role === 'tool') {
    const left = lines.length - resultLines
    return left > 0 ? [...lines.slice(0, resultLines), `… ${left} more lines`] : lines
  }
  const calls = message.role === 'assistant' ? message.toolCalls : []
  return [
    ...(message.content === '' ? [] : lines),
    ...calls.map(({ name, arguments: args }) => cleanLine(`→ ${name} ${args}`)),
  ]
}
