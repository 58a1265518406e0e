import type { MessageSource } from '../messages/inbound-message.ts'

export interface SessionKeyRules {
  /** In groups, each person has a session of their own. */
  readonly groupSessionsPerUser: boolean
  /** In threads too. */
  readonly threadSessionsPerUser: boolean
}

/** Which conversation a message belongs to, in upstream's form: `agent:main:telegram:dm:42`. */
export function sessionKey(source: MessageSource, rules: SessionKeyRules): string {
  const { platform, chatType, chatId, threadId } = source
  const place = [chatId, threadId].filter((part) => part !== undefined && part !== '')
  const parts = ['agent', 'main', platform, chatType, ...place]
  if (chatType === 'dm') return parts.join(':')
  const participant = source.userIdAlt || source.userId
  const isSharedThread = threadId !== undefined && threadId !== '' && !rules.threadSessionsPerUser
  if (rules.groupSessionsPerUser && participant && !isSharedThread) parts.push(participant)
  return parts.join(':')
}
