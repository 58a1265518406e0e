import type { ChatOptions } from './chat-options.ts'

/** What the flags add to the system prompt. The session's id is known once there is one. */
export function faceNotes({ task, sourceDir, passSessionId }: ChatOptions, sessionId?: string): string {
  const notes = [
    task === undefined
      ? 'You talk with the user in their terminal, which renders Markdown.'
      : 'Your final answer is printed to a terminal or read by a program: plain text, no chatter.',
  ]
  if (sourceDir !== undefined) notes.push(`The task is about the files in ${sourceDir}.`)
  if (passSessionId && sessionId !== undefined) notes.push(`Session ID: ${sessionId}`)
  return notes.join('\n')
}
