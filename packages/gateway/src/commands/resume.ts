import { chooseSession, recentSessions, sessionList } from '@hermes/core/sessions/choose-session.ts'
import type { ChatCommand, CommandAnswer, CommandCall } from './command.ts'
import { betweenTurns, currentSession, shownTo } from './current-session.ts'
import { choicesOf } from './menu.ts'

export const resume: ChatCommand = {
  name: 'resume',
  aliases: ['sessions'],
  args: '[title, id or number]',
  options: [{ name: 'conversation', about: 'Title, id or number; they are listed without' }],
  summary: 'Go on with an earlier conversation of yours, or list them',
  async run(call) {
    if (call.args === '') return list(call)
    return goOn(call)
  },
}

function goOn(call: CommandCall): CommandAnswer {
  return betweenTurns(call, async () => {
    const { args, agent, chats, sessionKey, message } = call
    const found = await chooseSession(agent.sessions, args, shownTo(call))
    const before = await currentSession(call)
    if (!found) return `No conversation of yours matches "${args}". /resume lists them.`
    if (found.id === before?.id) return 'That is this conversation.'
    if (before) await agent.sessions.end(before.id, 'session_switch')
    await agent.sessions.reopen(found.id)
    await chats.sessions.moveTo(sessionKey, found.id, message.source)
    return `Now in "${found.title ?? found.id}", ${found.messageCount} messages.`
  })
}

async function list(call: CommandCall): Promise<string | CommandAnswer> {
  const { agent } = call
  const currentId = (await currentSession(call))?.id
  const text = await sessionList(agent.sessions, { currentId, now: agent.clock.now(), ...shownTo(call) })
  // Chats take away, or take for code, what lines begin with.
  const flat = text?.replaceAll(/^ +/gm, '')
  if (flat === undefined) return 'No conversations yet.'
  const choices = (await recentSessions(agent.sessions, shownTo(call))).map(({ id, title, preview }) => ({
    label: title ?? (preview || id),
    args: id,
  }))
  const menu = choicesOf(flat, choices, { run: async (chosen) => goOn(chosen) }, call)
  return { say: `${flat}\n\nGo on with one: /resume TITLE, ID or NUMBER`, menu }
}
