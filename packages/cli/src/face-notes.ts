import type { ChatOptions } from './chat-options.ts'

/** How to write for the terminal, for the system prompt, and what the flags add to it. */
export function faceNotes({ task, sourceDir }: Pick<ChatOptions, 'task' | 'sourceDir'>): string {
  const notes = [
    task === undefined
      ? 'You talk with the user in their terminal, which renders Markdown.'
      : 'Your final answer is printed to a terminal or read by a program: plain text, no chatter.',
  ]
  if (sourceDir !== undefined) notes.push(`The task is about the files in ${sourceDir}.`)
  return notes.join('\n')
}
