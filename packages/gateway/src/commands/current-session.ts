import type { Session } from '@hermes/core/sessions/store.ts'
import type { CommandAnswer, CommandCall, CommandWork } from './command.ts'

/** The session that a chat is in: the one that carries it on now. Undefined where nothing was said in it. */
export async function currentSession({ sessionKey, agent, chats }: CommandCall) {
  const chat = await chats.sessions.find(sessionKey)
  return chat && agent.sessions.carriedOnBy(chat.sessionId)
}

export const nothingYet = 'This conversation has not begun yet.'

/** What changes a conversation waits for no turn: it is refused while one runs, and keeps its place among them. */
export function betweenTurns({ name, sessionKey, chats }: CommandCall, run: CommandWork['run']): CommandAnswer {
  if (!chats.steering.isOpen(sessionKey)) return { work: { run } }
  return { say: `I am still at work, so /${name} has to wait. /stop ends what I am doing.` }
}

/** A person's own conversations on this platform: nobody reads those of another. */
export function shownTo({ message: { source } }: CommandCall) {
  const isShown = ({ userId }: Session) => userId === source.userId
  return { source: source.platform, isShown }
}
