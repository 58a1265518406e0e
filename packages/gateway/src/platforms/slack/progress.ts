import type { ChatRef } from '../../messages/outbound-message.ts'
import { PlatformError } from '../platform-error.ts'
import type { ProgressMark } from '../platform.ts'
import type { SlackClient } from './client.ts'
import type { SlackTeams } from './teams.ts'

const emojis = { working: 'eyes', done: 'white_check_mark', failed: 'x' } as const satisfies Record<
  ProgressMark,
  string
>

export interface ProgressContext {
  readonly client: SlackClient
  readonly teams: SlackTeams
}

/** Puts a reaction on a person's message in the place of the one before. Throws `PlatformError`. */
export async function showMark(
  { chatId }: ChatRef,
  messageId: string,
  mark: ProgressMark | undefined,
  { client, teams }: ProgressContext,
  signal: AbortSignal,
): Promise<void> {
  const { token } = await teams.ofChannel(chatId, signal)
  const reaction = (name: string) => ({ channel: chatId, timestamp: messageId, name })
  if (mark !== 'working') {
    await orAsItIs(client.call(token, 'reactions.remove', reaction(emojis.working), { signal }), 'no_reaction')
  }
  if (mark === undefined) return
  await orAsItIs(client.call(token, 'reactions.add', reaction(emojis[mark]), { signal }), 'already_reacted')
}

/** That it is so already is no failure. */
async function orAsItIs(calling: Promise<unknown>, word: string): Promise<void> {
  try {
    await calling
  } catch (error) {
    if (!(error instanceof PlatformError) || !error.message.includes(`: ${word} `)) throw error
  }
}

/** Shows that the agent is at work, as assistants do: in threads alone. */
export interface WorkingStatus {
  show(chat: ChatRef, signal: AbortSignal): Promise<void>
}

/** Where an app may not show it, it is not tried again. */
export function createWorkingStatus({ client, teams }: ProgressContext): WorkingStatus {
  let isAllowed = true
  return {
    async show({ chatId, threadId }, signal) {
      if (threadId === undefined || !isAllowed) return
      const { token } = await teams.ofChannel(chatId, signal)
      const status = { channel_id: chatId, thread_ts: threadId, status: 'is thinking...' }
      try {
        await client.call(token, 'assistant.threads.setStatus', status, {
          signal,
        })
      } catch (error) {
        if (error instanceof PlatformError && error.code === 'refused') isAllowed = false
        throw error
      }
    },
  }
}
