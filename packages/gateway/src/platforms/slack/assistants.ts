import type { z } from 'zod'
import { createBoundedMap } from './bounded-map.ts'
import type { assistantEvent, MessageEvent } from './payloads.ts'

const maxThreads = 5_000

/** What is known of the threads that people open with the app as their assistant. */
export interface AssistantThreads {
  note(event: z.infer<typeof assistantEvent>): void
  /** The message with its person, where the service did not name one. */
  withPerson(event: MessageEvent): MessageEvent
  /** The channel that the person was looking at. */
  topicOf(event: MessageEvent): string | undefined
}

export function createAssistantThreads(): AssistantThreads {
  const threads = createBoundedMap<{ readonly userId: string | undefined; readonly topic: string | undefined }>(
    maxThreads,
  )
  const find = ({ channel, thread_ts: thread }: MessageEvent) =>
    thread ? threads.get(`${channel}:${thread}`) : undefined
  return {
    note({ assistant_thread: { channel_id: channel, thread_ts: thread, user_id: userId, context } }) {
      threads.set(`${channel}:${thread}`, { userId: userId ?? undefined, topic: context?.channel_id ?? undefined })
    },
    withPerson(event) {
      const userId = find(event)?.userId
      return userId !== undefined && !event.user && !event.bot_id ? { ...event, user: userId } : event
    },
    topicOf: (event) => find(event)?.topic,
  }
}
