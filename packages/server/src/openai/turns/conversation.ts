import { hash } from 'node:crypto'
import type { TranscriptMessage } from '@hermes/core/models/transcript.ts'

/** A message of a conversation as its client keeps it: texts alone. */
export interface TextMessage {
  readonly role: 'user' | 'assistant'
  readonly text: string
}

/** Names a conversation by its texts; how they are spaced does not count, as clients trim them. */
export function fingerprint(system: string, messages: readonly TextMessage[]): string {
  const said = joined(messages).map(({ role, text }) => `\0${role}\0${squeezed(text)}`)
  return hash('sha256', squeezed(system) + said.join(''))
}

/** The id that a conversation without one of its own keeps from its first request on. */
export function derivedSessionId(system: string, firstText: string): string {
  return `api-${hash('sha256', `${system}\n${firstText}`).slice(0, 16)}`
}

/** Whether a stored history is the one that a client has: of each answer it has all texts, or the last one. */
export function isSameConversation(stored: readonly TranscriptMessage[], said: readonly TextMessage[]): boolean {
  const a = rounds(stored.flatMap((one) => (one.role === 'user' || one.role === 'assistant' ? [textMessage(one)] : [])))
  const b = rounds(said)
  return (
    a.length === b.length &&
    a.every(({ user, answers }, index) => {
      const other = b[index]
      if (!other || squeezed(user) !== squeezed(other.user)) return false
      const given = squeezed(other.answers.join(' '))
      return given === squeezed(answers.join(' ')) || given === squeezed(answers.at(-1) ?? '')
    })
  )
}

function textMessage({ role, content }: { role: 'user' | 'assistant'; content: string }): TextMessage {
  return { role, text: content }
}

interface Round {
  user: string
  readonly answers: string[]
}

function rounds(messages: readonly TextMessage[]): readonly Round[] {
  const found: Round[] = []
  for (const { role, text } of messages) {
    const last = found.at(-1)
    if (role === 'assistant') {
      if (last) last.answers.push(text)
      else found.push({ user: '', answers: [text] })
    } else if (last && last.answers.length === 0) last.user += ` ${text}`
    else found.push({ user: text, answers: [] })
  }
  return found
}

function joined(messages: readonly TextMessage[]): readonly TextMessage[] {
  return rounds(messages).flatMap(({ user, answers }): TextMessage[] => [
    { role: 'user', text: user },
    { role: 'assistant', text: answers.join(' ') },
  ])
}

function squeezed(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
