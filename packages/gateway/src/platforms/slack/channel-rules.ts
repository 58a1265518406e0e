import { createBoundedMap } from './bounded-map.ts'
import type { MessageEvent } from './payloads.ts'
import { isMentioned } from './read-text.ts'
import type { ChannelRules } from './settings.ts'
import type { SlackTeam } from './teams.ts'

/** Threads and messages that are remembered. */
const maxKnown = 5_000

/** Messages of bots that are heard in a channel within ten minutes in which no person writes. */
const maxBotMessages = 6
const botWindowMs = 600_000

/** Kinds of message that a person has written; edits, deletions, joins and the like are not among them. */
const writtenKinds: ReadonlySet<string> = new Set(['file_share', 'thread_broadcast', 'me_message', 'bot_message'])

/** Which messages are for the agent. */
export interface ChannelJudge {
  /** Whether somebody else has written it: no edit, no join, not ourselves. */
  isWritten(event: MessageEvent, team: SlackTeam): boolean
  /** What is written may not be meant for us. `session`: whether the thread has a conversation. */
  isForUs(event: MessageEvent, team: SlackTeam, session: () => Promise<boolean>): Promise<boolean>
  /** We have written in a thread, so that answers there are for us. */
  notePost(channel: string, threadTs: string): void
  /** Whether the person has written to us alone, or named us in this message. */
  isAddressed(channel: string, ts: string): boolean
}

/** `now`: ms since 1970. */
export function createChannelJudge(rules: ChannelRules, now: () => number): ChannelJudge {
  const threads = createBoundedMap<true>(maxKnown)
  const addressed = createBoundedMap<true>(maxKnown)
  const botMessages = createBoundedMap<readonly number[]>(maxKnown)

  /** Two agents that answer each other would never end. */
  function isBotHeard(channel: string): boolean {
    const recent = (botMessages.get(channel) ?? []).filter((at) => at > now() - botWindowMs)
    if (recent.length >= maxBotMessages) return false
    botMessages.set(channel, [...recent, now()])
    return true
  }

  async function isWanted(event: MessageEvent, team: SlackTeam, session: () => Promise<boolean>): Promise<boolean> {
    const { channel, ts, thread_ts: thread } = event
    const isNamed = isMentioned(event.text ?? '', team.botUserId)
    if (isDirect(event) || isNamed) addressed.set(`${channel}:${ts}`, true)
    if (isFromBot(event) && rules.bots === 'mentions') return isNamed
    if (isDirect(event)) return true
    if (isNamed) threads.set(`${channel}:${thread ?? ts}`, true)
    if (isNamed || !rules.requireMention || rules.freeChannels.has(channel)) return true
    if (!thread || thread === ts) return false
    return event.parent_user_id === team.botUserId || threads.has(`${channel}:${thread}`) || session()
  }

  return {
    isWritten({ subtype, hidden, user, bot_id: botId }, team) {
      if (hidden || (subtype && !writtenKinds.has(subtype))) return false
      return user !== team.botUserId && (!botId || botId !== team.botId)
    },
    async isForUs(event, team, session) {
      if (!isFromBot(event)) {
        botMessages.delete(event.channel)
        return isWanted(event, team, session)
      }
      return rules.bots !== 'none' && (await isWanted(event, team, session)) && isBotHeard(event.channel)
    },
    notePost: (channel, threadTs) => threads.set(`${channel}:${threadTs}`, true),
    isAddressed: (channel, ts) => addressed.has(`${channel}:${ts}`),
  }
}

/** Whether it was written to us, or to us and a few others. */
export function isDirect({ channel, channel_type: type }: Pick<MessageEvent, 'channel' | 'channel_type'>): boolean {
  return type === 'im' || type === 'mpim' || channel.startsWith('D')
}

function isFromBot({ subtype, bot_id: botId }: MessageEvent): boolean {
  return subtype === 'bot_message' || Boolean(botId)
}
