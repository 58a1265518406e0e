import { z } from 'zod'
import type { PlatformHost } from '../platform.ts'
import type { TelegramClient } from './client.ts'

/** A topic that a chat has: its name, and what it asks for. */
const topic = z.looseObject({
  name: z.string(),
  thread_id: z.coerce.string().optional(),
  skill: z.string().optional(),
  icon_color: z.int().optional(),
  icon_custom_emoji_id: z.string().optional(),
})

/** `dm_topics` and `group_topics` of `platforms.telegram.extra`. */
export const topicsOfChats = z
  .array(z.looseObject({ chat_id: z.coerce.string(), topics: z.array(topic).default([]) }))
  .default([])

export interface KnownTopic {
  readonly chatId: string
  readonly threadId: string
  readonly name: string
  readonly skill?: string
}

/** A topic that is to be made. */
export interface NewTopic extends Omit<KnownTopic, 'threadId'> {
  readonly iconColor?: number
  readonly iconEmojiId?: string
}

/** Those with a thread. */
export function knownTopics(chats: z.infer<typeof topicsOfChats>): readonly KnownTopic[] {
  return chats.flatMap(({ chat_id: chatId, topics }) =>
    topics.flatMap(({ name, thread_id: threadId, skill }) =>
      threadId === undefined ? [] : [{ chatId, threadId, name, ...(skill !== undefined && { skill }) }],
    ),
  )
}

/** Those without one. */
export function newTopics(chats: z.infer<typeof topicsOfChats>): readonly NewTopic[] {
  return chats.flatMap(({ chat_id: chatId, topics }) =>
    topics
      .filter(({ thread_id: threadId }) => threadId === undefined)
      .map(({ name, skill, icon_color: iconColor, icon_custom_emoji_id: iconEmojiId }) => ({
        chatId,
        name,
        ...(skill !== undefined && { skill }),
        ...(iconColor !== undefined && { iconColor }),
        ...(iconEmojiId !== undefined && { iconEmojiId }),
      })),
  )
}

/** The topics of a connection's chats. */
export interface Topics {
  find(chatId: string, threadId: string | undefined): Pick<KnownTopic, 'name' | 'skill'> | undefined
  /** A topic was made, or said its name. What the settings say of it stays. */
  note(topic: KnownTopic): void
}

/** Topics that said their names are kept so many. */
const maxNoted = 1_000

export function createTopics(known: readonly KnownTopic[]): Topics {
  const keyOf = (chatId: string, threadId: string) => `${chatId}:${threadId}`
  const set = new Map(known.map((one) => [keyOf(one.chatId, one.threadId), one]))
  const noted = new Map<string, KnownTopic>()
  return {
    find(chatId, threadId) {
      if (threadId === undefined) return undefined
      const key = keyOf(chatId, threadId)
      return set.get(key) ?? noted.get(key)
    },
    note(one) {
      const key = keyOf(one.chatId, one.threadId)
      const before = noted.get(key)
      noted.delete(key)
      const [oldest] = noted.keys()
      if (noted.size >= maxNoted && oldest !== undefined) noted.delete(oldest)
      noted.set(key, { ...before, ...one })
    },
  }
}

export interface NewTopicsOptions {
  readonly wanted: readonly NewTopic[]
  readonly topics: Topics
  readonly client: TelegramClient
  readonly host: Pick<PlatformHost, 'home' | 'environment' | 'log'>
}

/**
 * Makes the topics that direct chats are to have and have not, and writes their numbers into `config.yaml`, so that they are
 * not made again. One that cannot be made is told in the log.
 */
export async function makeTopics(options: NewTopicsOptions, signal: AbortSignal): Promise<void> {
  const { wanted, topics, client, host } = options
  const made: KnownTopic[] = []
  for (const { iconColor, iconEmojiId, ...one } of wanted) {
    const call = {
      chat_id: one.chatId,
      name: one.name,
      ...(iconColor !== undefined && { icon_color: iconColor }),
      ...(iconEmojiId !== undefined && { icon_custom_emoji_id: iconEmojiId }),
    }
    try {
      const { message_thread_id: threadId } = await client.call('createForumTopic', call, { signal })
      const topicMade = { ...one, threadId: String(threadId) }
      topics.note(topicMade)
      made.push(topicMade)
    } catch (error) {
      signal.throwIfAborted()
      host.log.warn({ topic: one.name, error: String(error) }, 'a topic cannot be made; are topics on for the bot?')
    }
  }
  if (made.length > 0) await writeThreads(made, host)
}

async function writeThreads(made: readonly KnownTopic[], { home, environment }: NewTopicsOptions['host']) {
  const { editConfig } = await import('@hermes/core/config/edit.ts')
  const { getAt } = await import('@hermes/core/config/tree.ts')
  const path = ['platforms', 'telegram', 'extra', 'dm_topics']
  await editConfig({ home, environment }, (tree) => {
    const chats = topicsOfChats.safeParse(getAt(tree, path)).data ?? []
    const value = chats.map((chat) => ({
      ...numbered(chat, 'chat_id'),
      topics: chat.topics.map((one) => {
        const found = made.find(({ chatId, name }) => chatId === chat.chat_id && name === one.name)
        const threadId = one.thread_id ?? found?.threadId
        return { ...one, ...(threadId !== undefined && numbered({ thread_id: threadId }, 'thread_id')) }
      }),
    }))
    return chats.length > 0 ? [{ path, value }] : []
  })
}

/** Ids are numbers in upstream's file. */
function numbered<Part extends Readonly<Record<string, unknown>>>(part: Part, key: keyof Part): Part {
  const number = Number(part[key])
  return Number.isSafeInteger(number) ? { ...part, [key]: number } : part
}
