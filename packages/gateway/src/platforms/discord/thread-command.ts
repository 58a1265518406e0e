import { PlatformError } from '../platform-error.ts'
import type { CommandOption } from '../../commands/command.ts'
import type { GivenOptions } from './command-options.ts'
import { channel as channelSchema, channelType } from './payloads.ts'
import type { Place } from './places.ts'
import { threadName } from './start-thread.ts'
import type { TakerOptions } from './take-message.ts'

/** Minutes without a message after which the service puts a thread away, as it lets one choose them. */
const archiveChoices = ['60', '1440', '4320', '10080'] as const
const usualArchive = '1440'

/** A command that only this service has: it makes a thread in the channel, and begins a conversation there. */
export const threadCommand = {
  name: 'thread',
  summary: 'Make a thread here, and say something to me in it',
  options: [
    { name: 'name', about: 'What it is called', isRequired: true },
    { name: 'message', about: 'What I am to do there' },
    { name: 'archive', about: 'Minutes of silence until it is put away', choices: archiveChoices },
  ],
} as const satisfies {
  readonly name: string
  readonly summary: string
  readonly options: readonly CommandOption[]
}

/** The thread that was made and what is said in it; a text for the person where none was. */
export type MadeThread = { readonly place: Place; readonly message: string } | string

/** Makes the thread that somebody has asked for: in a thread it is made beside it. */
export async function makeThread(
  at: Place,
  given: GivenOptions,
  { rest, places, joined }: Pick<TakerOptions, 'rest' | 'places' | 'joined'>,
  signal: AbortSignal,
): Promise<MadeThread> {
  if (at.chatType === 'dm') return 'There are no threads in direct messages.'
  const textOf = (name: string) => {
    const value = given.find((one) => one.name === name)?.value
    return typeof value === 'string' ? value.trim() : ''
  }
  const path = `/channels/${at.parentId ?? at.chatId}/threads`
  const minutes = Number(archiveChoices.find((one) => one === textOf('archive')) ?? usualArchive)
  const body = { name: threadName(textOf('name')), type: channelType.thread, auto_archive_duration: minutes }
  try {
    const made = await rest.call(channelSchema, { method: 'POST', path, body }, signal)
    places.noteChannel(made)
    await joined.add(made.id)
    return { place: await places.find(made.id, signal), message: textOf('message') }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof PlatformError) return 'Discord did not let me make a thread here.'
    throw error
  }
}
