import type { Logger } from '@hermes/core/log/logger.ts'
import type { InboundMessage, MessageSource } from '../../messages/inbound-message.ts'
import type { AssistantThreads } from './assistants.ts'
import type { FetchFiles } from './attachments.ts'
import { createBoundedMap } from './bounded-map.ts'
import { isDirect } from './channel-rules.ts'
import type { SlackClient } from './client.ts'
import type { SlackNames } from './names.ts'
import type { MessageEvent } from './payloads.ts'
import { mentionedUsers, readMessageText, readShared } from './read-text.ts'
import type { SlackSettings } from './settings.ts'
import type { SlackTeam } from './teams.ts'
import { readThread } from './thread-context.ts'

/** Threads that are known to have been read. */
const maxThreads = 5_000

/** People whose names are put into a text. */
const maxMentions = 10

export interface EventReaderOptions {
  readonly client: SlackClient
  readonly names: SlackNames
  readonly fetchFiles: FetchFiles
  readonly assistants: AssistantThreads
  readonly settings: Pick<SlackSettings, 'replyInThread'>
  readonly log: Logger
  /** Whether a thread has a conversation. */
  readonly hasSession: (channel: string, threadId: string) => Promise<boolean>
  readonly isAuthorised: (source: MessageSource) => Promise<boolean>
}

/** A message with its names, files and thread, as the gateway takes it; undefined where there is nothing in it. */
export type ReadEvent = (event: MessageEvent, team: SlackTeam) => Promise<InboundMessage | undefined>

export function createEventReader(options: EventReaderOptions, signal: AbortSignal): ReadEvent {
  const { client, names, fetchFiles, assistants, settings, log, hasSession, isAuthorised } = options
  const readThreads = createBoundedMap<true>(maxThreads)

  async function readEvent(event: MessageEvent, team: SlackTeam): Promise<InboundMessage | undefined> {
    const { ts, files } = event
    const source = await sourceOf(event, team)
    const mentioned = mentionedUsers(event.text ?? '').slice(0, maxMentions)
    const people = new Map(await Promise.all(mentioned.map(async (id) => [id, await names.user(team, id)] as const)))
    const nameOf = (id: string) => people.get(id)
    const text = readMessageText(event, nameOf, team.botUserId)
    const shared = readShared(event, nameOf)
    if (text === '' && shared.length === 0 && !files?.length) return undefined
    const message = {
      eventId: ts,
      messageId: ts,
      source,
      text,
      attachments: [],
      sentAt: Math.round(Number(ts) * 1_000),
    }
    // Nothing is fetched for people who may not speak to the agent.
    if (!(await isAuthorised(source))) return message
    const [context, fetched] = await Promise.all([contextOf(event, team), fetchFiles(files ?? [], team)])
    const background = [...(context === undefined ? [] : [context]), ...shared].join('\n\n')
    return {
      ...message,
      text: [text, ...fetched.notes].filter((part) => part !== '').join('\n\n'),
      attachments: fetched.attachments,
      ...(background !== '' && { background }),
    }
  }

  async function sourceOf(event: MessageEvent, team: SlackTeam): Promise<MessageSource> {
    const { channel, ts, thread_ts: thread, user, bot_id: botId } = event
    const isDm = isDirect(event)
    const userId = user ?? botId ?? undefined
    const [userName, channelName] = await Promise.all([
      user ? names.user(team, user) : undefined,
      isDm ? undefined : names.channel(team, channel),
    ])
    // What is answered in a thread is a conversation of its own from its first message on.
    const threadId = thread ?? (isDm || !settings.replyInThread ? undefined : ts)
    const chatName = isDm ? userName : channelName
    const topic = assistants.topicOf(event)
    return {
      platform: 'slack',
      account: team.id,
      chatId: channel,
      // Several people talk there, each with their own conversation, as with commands.
      chatType: isDm && event.channel_type !== 'mpim' ? 'dm' : 'group',
      ...(chatName !== undefined && { chatName }),
      ...(topic !== undefined && { chatTopic: topic }),
      ...(threadId !== undefined && { threadId }),
      ...(userId !== undefined && { userId }),
      ...(userName !== undefined && { userName }),
    }
  }

  /** What was said in the thread before the agent came to it. */
  async function contextOf(
    { channel, ts, thread_ts: thread }: MessageEvent,
    team: SlackTeam,
  ): Promise<string | undefined> {
    if (!thread || thread === ts || readThreads.has(`${channel}:${thread}`)) return undefined
    if (await hasSession(channel, thread)) return undefined
    try {
      const said = await readThread({ team, channel, threadTs: thread, ts }, { client, names }, signal)
      readThreads.set(`${channel}:${thread}`, true)
      return said
    } catch (error) {
      signal.throwIfAborted()
      log.warn({ error: String(error) }, 'what was said in a thread before is not known')
      return undefined
    }
  }

  return readEvent
}
