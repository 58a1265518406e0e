import { setTimeout as wait } from 'node:timers/promises'
import type { ChatRef } from '../../messages/outbound-message.ts'
import { PlatformError } from '../platform-error.ts'
import type { ProgressMark } from '../platform.ts'
import { channelIdOf } from './places.ts'
import type { Places } from './places.ts'
import type { DiscordRest, RestCall } from './rest.ts'

const emojis = { working: '👀', done: '✅', failed: '❌' } as const satisfies Record<ProgressMark, string>

/** Reactions are limited more than all else: one that comes too soon is made once more, after this at most, ms. */
const maxWaitMs = 5_000

export interface ReactContext {
  readonly rest: DiscordRest
  readonly places: Places
  readonly signal: AbortSignal
}

/** Shows a mark on a person's message in place of the one before. Throws `PlatformError`. */
export async function react(
  chat: ChatRef,
  messageId: string,
  mark: ProgressMark | undefined,
  context: ReactContext,
): Promise<void> {
  const channelId = await channelOf(chat, messageId, context)
  const path = (emoji: string) =>
    `/channels/${channelId}/messages/${messageId}/reactions/${encodeURIComponent(emoji)}/@me`
  if (mark !== 'working') await patiently({ method: 'DELETE', path: path(emojis.working) }, context)
  if (mark !== undefined) await patiently({ method: 'PUT', path: path(emojis[mark]) }, context)
}

async function patiently(call: RestCall, { rest, signal }: ReactContext): Promise<void> {
  try {
    await rest.run(call, signal)
  } catch (error) {
    if (!(error instanceof PlatformError) || error.code !== 'rate-limited') throw error
    const ms = error.retryAfterMs ?? maxWaitMs
    if (ms > maxWaitMs) throw error
    await wait(ms, undefined, { signal })
    await rest.run(call, signal)
  }
}

/** The message that a thread starts at is in the channel above. */
async function channelOf(chat: ChatRef, messageId: string, { places, signal }: ReactContext): Promise<string> {
  const channelId = channelIdOf(chat)
  if (messageId !== channelId) return channelId
  return (await places.find(channelId, signal)).parentId ?? channelId
}
