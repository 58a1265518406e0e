import { createHash } from 'node:crypto'
import { oneLine } from '@hermes/core/text/one-line.ts'
import type { MessageSource } from '../messages/inbound-message.ts'
import type { CommandCall, CommandOption } from './command.ts'

/** A turn that a person has asked for in a thread of the chat in which they write a command. */
export interface OwnThread {
  readonly key: string
  /** Short, and of one thread alone for good: what is meant does not change when others end. */
  readonly name: string
  /** What was asked for there, for people. */
  readonly title: string
}

/** The argument that names one. */
export const threadOption: CommandOption = {
  name: 'thread',
  about: 'Which of your threads, by the word that it is listed with',
}

/** A person's own turns in threads of a chat: Slack's commands, for one, do not say in which they are written. */
export function ownThreads({ message, chats }: CommandCall): readonly OwnThread[] {
  const running = chats.lanes.running().filter((one) => isOwnThreadOf(message.source, one.message.source))
  return running.map(({ key, message: { text } }) => ({ key, name: nameOf(key), title: `"${oneLine(text)}"` }))
}

function isOwnThreadOf(here: MessageSource, there: MessageSource): boolean {
  if (here.threadId || !there.threadId || here.platform !== there.platform || here.account !== there.account)
    return false
  const isOwn = here.userId !== undefined && here.userId === there.userId
  return isOwn && (there.parentId ?? there.chatId) === here.chatId
}

/** Without vowels, so that it is no word that a message begins with. */
const letters = 'bcdfghjkmnpqrstvwxz23456789'

function nameOf(key: string): string {
  const bytes = [...createHash('sha256').update(key).digest().subarray(0, 4)]
  return bytes.map((byte) => letters[byte % letters.length]).join('')
}

/** The thread that the first word of some arguments names, and the rest of them. */
export function namedThread(
  args: string,
  threads: readonly OwnThread[],
): { readonly named?: OwnThread; readonly rest: string } {
  const [, word, rest = ''] = /^(\S+)\s*([\s\S]*)$/.exec(args) ?? []
  const found = threads.filter(({ name }) => name === word?.toLowerCase())
  return found.length === 1 && found[0] ? { named: found[0], rest } : { rest: args }
}

/** What is said where one of several threads has to be named: `how` says it for the first one. */
export function whichThread(
  threads: readonly OwnThread[],
  how: (name: string) => string,
  more?: (thread: OwnThread) => string,
): string {
  const lines = threads.map((thread) => `${thread.name}: ${thread.title}${more?.(thread) ?? ''}`)
  return [`Which of your threads here?`, ...lines, `For the first: ${how(threads[0]?.name ?? '')}`].join('\n')
}
