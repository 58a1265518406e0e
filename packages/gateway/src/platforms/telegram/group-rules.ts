import type { Message, MessageEntity, UserFromGetMe } from 'grammy/types'
import type { GroupRules } from './settings.ts'

/** Whether a message is for the agent. In direct chats all are; in groups it depends on place, address and settings. */
export function isForUs(message: Message, me: UserFromGetMe, rules: GroupRules): boolean {
  if (message.chat.type === 'private') return true
  const thread = threadOf(message)
  if (thread !== undefined && rules.ignoredThreads.has(thread)) return false
  const text = message.text ?? message.caption ?? ''
  const command = /^\/\w+(?:@(\w+))?/.exec(text)
  // A command that names another bot is that bot's, wherever it is written.
  if (command?.[1] !== undefined) return command[1].toLowerCase() === me.username.toLowerCase()
  if (rules.freeChats.has(String(message.chat.id)) || !rules.requireMention) return true
  if (command) return true
  if (message.reply_to_message?.from?.id === me.id && !message.reply_to_message.forum_topic_created) return true
  return isMentioned(message, text, me) || rules.patterns.some((pattern) => pattern.test(text))
}

/** The topic that a message is in. An id of a thread alone may be a chain of replies, which is no place. */
export function threadOf(message: Message): string | undefined {
  return message.is_topic_message && message.message_thread_id !== undefined
    ? String(message.message_thread_id)
    : undefined
}

function isMentioned(message: Message, text: string, me: UserFromGetMe): boolean {
  const entities: readonly MessageEntity[] = message.entities ?? message.caption_entities ?? []
  const named = entities.some((entity) => entity.type === 'text_mention' && entity.user.id === me.id)
  return named || mentionPattern(me).test(text)
}

/** The text without the agent's name, where something is left then. */
export function withoutMention(text: string, me: UserFromGetMe): string {
  // Spaces elsewhere may be those of code.
  const rest = text.replace(new RegExp(`([ \\t]?)${mentionPattern(me).source}[ \\t]?`, 'i'), '$1').trim()
  return rest === '' ? text : rest
}

function mentionPattern({ username }: UserFromGetMe): RegExp {
  return new RegExp(`(?<![\\w@/])@${username}\\b[,:\\-]*`, 'i')
}
