import { ago } from '@hermes/core/text/ago.ts'
import { formatCount, sentTokens } from '@hermes/core/text/token-count.ts'
import { chatOf } from '../messages/chat-of.ts'
import type { ChatCommand, CommandCall } from './command.ts'
import { currentSession } from './current-session.ts'
import { namedThread, ownThreads, threadOption } from './own-threads.ts'
import type { OwnThread } from './own-threads.ts'

export const status: ChatCommand = {
  name: 'status',
  options: [threadOption],
  summary: 'Where this conversation stands',
  async run(call) {
    const threads = ownThreads(call)
    const { named } = namedThread(call.args, threads)
    const thread = named ?? (threads.length === 1 && !call.chats.lanes.isBusy(call.sessionKey) ? threads[0] : undefined)
    const others = thread ? [] : threads
    const lines = [
      ...(await standing(call, thread)),
      ...others.map(({ name, title }) => `At work in a thread: ${title} (/status ${name})`),
    ]
    return lines.join('\n')
  },
}

/** Where the chat's conversation stands, or that of a thread. */
async function standing(call: CommandCall, thread: OwnThread | undefined): Promise<readonly string[]> {
  const { agent, chats } = call
  const { lanes, sessions, decisions } = chats
  const sessionKey = thread?.key ?? call.sessionKey
  const [chat, session] = [await sessions.find(sessionKey), await currentSession({ ...call, sessionKey })]
  const waiting = lanes.waiting(sessionKey)
  const open = decisions.open(sessionKey, thread ? undefined : chatOf(call.message.source)).length
  const now = agent.clock.now()
  const platforms = chats.platforms().map(({ platform, state }) => `${platform} ${state}`)
  const lines = [
    thread && `Thread: ${thread.title}`,
    `Session: ${session?.id ?? chat?.sessionId ?? 'none yet'}${session?.title ? ` (${session.title})` : ''}`,
    `Messages: ${session?.messageCount ?? 0}`,
    session && `Begun ${ago(now - session.startedAt)}${chat ? `, last used ${ago(now - chat.updatedAt)}` : ''}`,
    session && `Tokens: ${formatCount(sentTokens(session.usage))} in, ${formatCount(session.usage.outputTokens)} out`,
    `Working: ${lanes.isBusy(sessionKey) ? 'yes' : 'no'}${waiting > 0 ? `, ${waiting} waiting` : ''}`,
    open > 0 && `Waiting for your consent or answer: ${open}`,
    `Platforms: ${platforms.join(', ') || 'none'}`,
  ]
  return lines.filter((line) => typeof line === 'string')
}
