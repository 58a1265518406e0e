import { z } from 'zod'
import { choice, decimal, flag, freeMap, mapOf, section, text, textList, whole } from '../values.ts'

const mention = (fallback: boolean) => flag(fallback).describe('In groups, answer only when mentioned.')
const freeChats = () => textList().describe('Where it answers without a mention, by id.')
const patterns = () => textList().describe('Other words that count as a mention, as patterns.')
const pairing = () => choice(['pair', 'ignore'], 'pair').describe('What a stranger who writes gets.')
const ownPairing = () => z.enum(['pair', 'ignore']).optional().describe('The same for this platform alone.')
const autoThread = () => flag(true).describe('Answer in a thread of its own.')

const platform = z.looseObject({
  enabled: z.boolean().optional().describe('Connect it.'),
  token: z.string().optional().describe('Its token; better kept in .env.'),
  api_key: z.string().optional().describe('Its key; better kept in .env.'),
  home_channel: z.unknown().optional().describe('Where notices go: {platform, chat_id, name}.'),
  reply_to_mode: choice(['off', 'first', 'all'], 'first', { on: 'first' }).describe('Which messages are replies.'),
  extra: freeMap().describe('Settings of the platform itself.'),
})

/** Chat platforms and how they share one agent. */
export const gatewaySettings = {
  platforms: mapOf(platform).describe('Chat platforms by name: {enabled, token, home_channel, reply_to_mode, extra}.'),
  gateway: section({
    proxy_url: text().describe('API server of another Hermes that does the work.'),
    max_background_tasks: whole(5, { min: 1, max: 100 }).describe(
      'Most that a person has run beside a chat (/background).',
    ),
  }).describe('The gateway.'),
  session_reset: section({
    mode: choice(['both', 'idle', 'daily', 'none'], 'both', { off: 'none', on: 'both' }).describe(
      'When a chat begins a new session.',
    ),
    at_hour: whole(4, { min: 0, max: 23 }).describe('Hour of the daily reset.'),
    idle_minutes: whole(1440, { min: 1 }).describe('Idle minutes after which a session is reset.'),
    notify: flag(true).describe('Tell the chat.'),
    notify_exclude_platforms: textList(['api_server', 'webhook']).describe('Platforms that are not told.'),
  }).describe('New sessions in chats.'),
  reset_by_type: freeMap().describe('session_reset by kind of chat.'),
  reset_by_platform: freeMap().describe('session_reset by platform.'),
  reset_triggers: textList(['/new', '/reset']).describe('Messages that begin a new session.'),
  group_sessions_per_user: flag(true).describe('In groups, each person has a session of their own.'),
  thread_sessions_per_user: flag(false).describe('In threads too.'),
  unauthorized_dm_behavior: pairing(),
  always_log_local: flag(true).describe('Keep cron answers here too when they are delivered elsewhere.'),
  streaming: section({
    enabled: flag(false).describe('Edit the message as the answer comes, in chats.'),
    transport: choice(['edit', 'off'], 'edit', { on: 'edit' }).describe('How it is shown.'),
    edit_interval: decimal(1, { min: 0 }).describe('Shortest time between edits, seconds.'),
    buffer_threshold: whole(40, { min: 0 }).describe('Characters that make an edit worthwhile.'),
    cursor: text(' ▉').describe('Shown at the end while the answer comes.'),
  }).describe('Streaming in chats.'),
  telegram: section({
    unauthorized_dm_behavior: ownPairing(),
    require_mention: mention(false),
    mention_patterns: patterns(),
    free_response_chats: freeChats(),
    ignored_threads: textList().describe('Topics that are ignored, by id.'),
    reactions: flag(false).describe('React to messages while working on them.'),
  }).describe('Telegram.'),
  discord: section({
    unauthorized_dm_behavior: ownPairing(),
    require_mention: mention(true),
    free_response_channels: freeChats(),
    allowed_channels: textList().describe('Only these channels, by id.'),
    ignored_channels: textList().describe('Channels that are ignored, by id.'),
    no_thread_channels: textList().describe('Channels where no thread is made, by id.'),
    auto_thread: autoThread(),
    reactions: flag(true).describe('React to messages while working on them.'),
    channel_skill_bindings: z
      .array(z.looseObject({}))
      .optional()
      .describe('Skills that channels ask for: [{id, skills}].'),
  }).describe('Discord.'),
  slack: section({
    unauthorized_dm_behavior: ownPairing(),
    require_mention: mention(true),
    allow_bots: choice(['none', 'mentions', 'all'], 'none', { off: 'none', on: 'all' }).describe(
      'Bots that are heard.',
    ),
    free_response_channels: freeChats(),
  }).describe('Slack.'),
  whatsapp: section({
    unauthorized_dm_behavior: ownPairing(),
    require_mention: mention(false),
    mention_patterns: patterns(),
    free_response_chats: freeChats(),
  }).describe('WhatsApp.'),
  matrix: section({
    unauthorized_dm_behavior: ownPairing(),
    require_mention: mention(true),
    free_response_rooms: freeChats(),
    auto_thread: autoThread(),
    dm_mention_threads: flag(false).describe('In direct chats, a mention starts a thread.'),
  }).describe('Matrix.'),
  mattermost: freeMap().describe('Mattermost.'),
  signal: freeMap().describe('Signal.'),
  homeassistant: freeMap().describe('Home Assistant.'),
  email: freeMap().describe('E-mail.'),
  sms: freeMap().describe('SMS.'),
  dingtalk: freeMap().describe('DingTalk.'),
  api_server: freeMap().describe('The OpenAI-compatible API server.'),
  webhook: freeMap().describe('Webhooks.'),
  feishu: freeMap().describe('Feishu and Lark.'),
  wecom: freeMap().describe('WeCom.'),
  wecom_callback: freeMap().describe('WeCom by callback.'),
  weixin: freeMap().describe('Weixin.'),
  bluebubbles: freeMap().describe('iMessage by BlueBubbles.'),
  qqbot: freeMap().describe('QQ bots.'),
}
