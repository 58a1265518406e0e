import { chooseSession, sessionList } from '@hermes/core/sessions/choose-session.ts'
import type { Chat, SlashCommand } from './slash-command.ts'

export const sessions: SlashCommand = {
  name: 'sessions',
  summary: 'List the latest sessions',
  category: 'Session',
  duringTurn: true,
  async run(_args, chat) {
    chat.view.print(await list(chat))
  },
}

export const resume: SlashCommand = {
  name: 'resume',
  args: '[title, id or number]',
  summary: 'Go on with an earlier session',
  category: 'Session',
  duringTurn: false,
  async complete(prefix, chat) {
    const wanted = prefix.toLowerCase()
    const recent = await chat.agent.sessions.list({ limit: 50 })
    return recent
      .filter((one) => one.id !== chat.session.id)
      .map((one) => ({ value: one.title ?? one.id, description: one.preview }))
      .filter((one) => one.value.toLowerCase().includes(wanted))
      .slice(0, 20)
  },
  async run(args, chat) {
    if (args === '') {
      chat.view.print(`${await list(chat)}\n\nGo on with one: /resume TITLE, ID or NUMBER`)
      return
    }
    const found = await chooseSession(chat.agent.sessions, args)
    if (!found) chat.view.print(`No session matches "${args}". /sessions lists them.`, 'warning')
    else if (found.id === chat.session.id) chat.view.print('That is this session.', 'dim')
    else await chat.switchTo({ id: found.id, source: found.source })
  },
}

async function list({ agent, session }: Chat): Promise<string> {
  const text = await sessionList(agent.sessions, { currentId: session.id, now: agent.clock.now() })
  return text ?? 'No sessions yet.'
}
