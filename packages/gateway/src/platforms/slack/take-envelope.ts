import type { LiveAgent } from '../../life/live-agent.ts'
import type { ChatSessions } from '../../sessions/chat-sessions.ts'
import type { ChatRef } from '../../messages/outbound-message.ts'
import type { MessageSource } from '../../messages/inbound-message.ts'
import type { PlatformHost } from '../platform.ts'
import { createAssistantThreads } from './assistants.ts'
import { createFileFetcher } from './attachments.ts'
import { readButtonValue } from './buttons.ts'
import type { ChannelJudge } from './channel-rules.ts'
import type { SlackClient } from './client.ts'
import { commandText } from './commands.ts'
import { createIntake } from './intake.ts'
import { createNames } from './names.ts'
import { assistantEvent, commandPayload, eventWrapper, messageEvent, pressPayload } from './payloads.ts'
import { createPendingEvents } from './pending.ts'
import { createEventReader } from './read-event.ts'
import type { ResponseUrls } from './response-urls.ts'
import type { SlackSettings } from './settings.ts'
import type { Envelope } from './socket.ts'
import type { SlackTeam, SlackTeams } from './teams.ts'

/** What the gateway gives this platform. */
export interface SlackHost extends PlatformHost {
  /**
   * Without it, answers in threads where nobody names the agent are left alone, as far as it has not written there; without
   * `live`, skills and quick commands are no commands.
   */
  readonly chats?: { readonly sessions: Pick<ChatSessions, 'inChat'>; readonly live?: LiveAgent }
  /** Without it, files of everybody are fetched. */
  readonly access?: { isAuthorised(source: MessageSource): Promise<boolean> }
}

/** Hands what the service brings to the gateway. */
export interface EnvelopeTaker {
  /** Resolves when it may be acknowledged; rejects where it must come again. */
  take(envelope: Envelope): Promise<void>
  /** Takes up what an earlier process has acknowledged and not dealt with. */
  resume(): Promise<void>
  close(): Promise<void>
}

export interface TakerOptions {
  readonly client: SlackClient
  readonly teams: SlackTeams
  readonly settings: SlackSettings
  readonly host: SlackHost
  readonly judge: ChannelJudge
  readonly responseUrls: ResponseUrls
}

/** Longest answer to a press of a button, characters, and how long it may take, ms. */
const maxAnswer = 1_000
const answerMs = 10_000

export function createEnvelopeTaker(options: TakerOptions, signal: AbortSignal): EnvelopeTaker {
  const { client, teams, settings, host, judge, responseUrls } = options
  const { timing } = settings
  const names = createNames(client, signal)
  const fetchFiles = createFileFetcher({ client, host, timing }, signal)
  const pending = createPendingEvents(host.home)
  const intake = createIntake({ pending, timing, log: host.log }, signal)
  const assistants = createAssistantThreads()
  const hasSession = async (channel: string, threadId: string): Promise<boolean> =>
    (await host.chats?.sessions.inChat({ platform: 'slack', chatId: channel, threadId })) !== undefined
  const isAuthorised = async (source: MessageSource) => (await host.access?.isAuthorised(source)) ?? true
  const readEvent = createEventReader(
    { client, names, fetchFiles, assistants, settings, log: host.log, hasSession, isAuthorised },
    signal,
  )

  /** `isKept`: it was found to be for us before. */
  async function takeEvent(envelope: Envelope, isKept: boolean): Promise<void> {
    const wrapper = eventWrapper().safeParse(envelope.body)
    if (!wrapper.success) return
    const { team_id: teamId, authorizations, event } = wrapper.data
    const team = teams.find(authorizations?.[0]?.team_id ?? teamId ?? undefined)
    if (!team) return host.log.warn({ team: teamId }, 'an event of a workspace without a token is left')
    const assistant = assistantEvent().safeParse(event)
    if (assistant.success) return assistants.note(assistant.data)
    // A mention comes as a message, too.
    const parsed = messageEvent().safeParse(event)
    if (!parsed.success) return
    const message = assistants.withPerson(parsed.data)
    const { channel, ts, thread_ts: thread } = message
    if (!judge.isWritten(message, team)) return
    teams.note(channel, team)
    const lane = JSON.stringify([channel, thread ?? '', message.user ?? message.bot_id])
    const known = async () => (thread ? hasSession(channel, thread) : false)
    const prepare = async () => {
      if (!isKept && !(await judge.isForUs(message, team, known))) return () => Promise.resolve()
      const whole = await readEvent(message, team)
      return () => (whole ? host.receive(whole) : Promise.resolve())
    }
    await intake.add({ key: `${channel}:${ts}`, lane, prepare }, envelope)
  }

  async function takeCommand(envelope: Envelope): Promise<void> {
    const parsed = commandPayload().safeParse(envelope.body)
    if (!parsed.success) return
    const { command, text, channel_id: channel, channel_name: name, user_id: userId, trigger_id: id } = parsed.data
    const { team_id: teamId, response_url: url } = parsed.data
    const team = teams.find(teamId ?? undefined)
    if (!team) return
    teams.note(channel, team)
    if (url) responseUrls.note(channel, url)
    const isDm = channel.startsWith('D')
    const prepare = async () => {
      const userName = await names.user(team, userId)
      const chatName = isDm ? userName : (name ?? undefined)
      const source: MessageSource = {
        platform: 'slack',
        account: team.id,
        chatId: channel,
        // Elsewhere a stranger's code for pairing would be seen by everybody.
        chatType: isDm ? 'dm' : 'group',
        userId,
        ...(userName !== undefined && { userName }),
        ...(chatName !== undefined && { chatName }),
      }
      const said = await commandText(command, text, host.chats?.live?.current)
      return () =>
        host.receive({ eventId: `command:${id}`, source, text: said, attachments: [], sentAt: host.clock.now() })
    }
    await intake.add({ key: `command:${id}`, lane: `command:${id}`, prepare }, envelope)
  }

  async function takePress(envelope: Envelope): Promise<void> {
    const parsed = pressPayload().safeParse(envelope.body)
    if (!parsed.success) return
    const { channel, user, team: own, actions } = parsed.data
    const value = readButtonValue(actions[0]?.value ?? '')
    const team = teams.find(own?.id)
    if (!value || !team) return
    teams.note(channel.id, team)
    const { data, chatType, threadId } = value
    const chat: ChatRef = {
      platform: 'slack',
      chatId: channel.id,
      chatType,
      ...(threadId !== undefined && { threadId }),
    }
    const userName = await names.user(team, user.id)
    const said = await host.press({ chat, userId: user.id, data, ...(userName !== undefined && { userName }) })
    if (said !== '') void tell(said, { chat, userId: user.id, team })
  }

  /** Shows one person alone what their press has done. */
  async function tell(
    text: string,
    { chat, userId, team }: { readonly chat: ChatRef; readonly userId: string; readonly team: SlackTeam },
  ): Promise<void> {
    const shown = {
      channel: chat.chatId,
      user: userId,
      text: text.slice(0, maxAnswer).toWellFormed(),
      ...(chat.threadId !== undefined && { thread_ts: chat.threadId }),
    }
    try {
      await client.call(team.token, 'chat.postEphemeral', shown, {
        signal,
        timeoutMs: answerMs,
      })
    } catch (error) {
      if (!signal.aborted) host.log.debug({ error: String(error) }, 'a press of a button could not be answered')
    }
  }

  const take = async (envelope: Envelope, isKept = false): Promise<void> => {
    signal.throwIfAborted()
    if (envelope.type === 'events_api') await takeEvent(envelope, isKept)
    else if (envelope.type === 'slash_commands') await takeCommand(envelope)
    else if (envelope.type === 'interactive') await takePress(envelope)
  }
  return {
    take: (envelope) => take(envelope),
    async resume() {
      for (const envelope of await pending.left()) {
        await take(envelope, true).catch((error: unknown) =>
          host.log.error({ error: String(error) }, 'an event that was kept is not handed over'),
        )
      }
    },
    close: () => intake.close(),
  }
}
