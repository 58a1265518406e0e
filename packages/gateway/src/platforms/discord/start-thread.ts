import { PlatformError } from '../platform-error.ts'
import { codeOf } from './errors.ts'
import { channel } from './payloads.ts'
import type { Place, Places } from './places.ts'
import type { DiscordRest } from './rest.ts'

const maxName = 80
const archiveMinutes = 1_440

/** A message can have one thread, and has it already. */
const hasThread = 160_004

export interface ThreadStart {
  readonly rest: DiscordRest
  readonly places: Places
  /** The channel of the message. */
  readonly channelId: string
  readonly messageId: string
  readonly title: string
}

/** A thread that starts at a message. Undefined where the service does not let us: then the channel is answered in. */
export async function startThread(start: ThreadStart, signal: AbortSignal): Promise<Place | undefined> {
  const { rest, places, channelId, messageId, title } = start
  const path = `/channels/${channelId}/messages/${messageId}/threads`
  const body = { name: threadName(title), auto_archive_duration: archiveMinutes }
  try {
    places.noteChannel(await rest.call(channel, { method: 'POST', path, body }, signal))
  } catch (error) {
    signal.throwIfAborted()
    // It has its message's id.
    if (codeOf(error) === hasThread) return places.find(messageId, signal)
    if (error instanceof PlatformError && error.code !== 'uncertain' && error.code !== 'unreachable') return undefined
    throw error
  }
  return places.find(messageId, signal)
}

export function threadName(title: string): string {
  const [line = ''] = title.trim().split('\n')
  const name = line.replaceAll(/<[@#:][^>]*>/g, '').trim()
  if (name === '') return 'Hermes'
  const chars = Array.from(name)
  return chars.length > maxName ? `${chars.slice(0, maxName - 3).join('')}...` : name
}
