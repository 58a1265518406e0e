import type { SessionListing } from '@hermes/core/sessions/store.ts'
import { ago } from './ago.ts'
import type { Chat, SlashCommand } from './slash-command.ts'

/** How many sessions are listed and can be named by their number. */
const listed = 10

export const sessions: SlashCommand = {
  name: 'sessions',
  summary: 'List the latest sessions',
  category: 'Session',
  duringTurn: true,
  async run(_args, chat) {
    chat.view.print(await sessionList(chat))
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
      chat.view.print(`${await sessionList(chat)}\n\nGo on with one: /resume TITLE, ID or NUMBER`)
      return
    }
    const found = await chosen(args, chat)
    if (!found) chat.view.print(`No session matches "${args}". /sessions lists them.`, 'warning')
    else if (found.id === chat.session.id) chat.view.print('That is this session.', 'dim')
    else await chat.switchTo({ id: found.id, source: found.source })
  },
}

async function chosen(args: string, { agent }: Chat) {
  if (/^[1-9]\d?$/.test(args)) {
    const recent = await agent.sessions.list({ limit: listed })
    const numbered = recent[Number(args) - 1]
    if (numbered) return agent.sessions.carriedOnBy(numbered.id)
  }
  const named = await agent.sessions.resolve(args)
  return named && agent.sessions.carriedOnBy(named.id)
}

async function sessionList({ agent, session }: Chat): Promise<string> {
  const recent = await agent.sessions.list({ limit: listed })
  if (recent.length === 0) return 'No sessions yet.'
  // A conversation that was compacted is listed under the session that it began as.
  const current = await Promise.all(recent.map((one) => agent.sessions.carriedOnBy(one.id)))
  return recent
    .map((one, index) => sessionRow(one, index + 1, current[index]?.id === session.id, agent.clock.now()))
    .join('\n')
}

function sessionRow(one: SessionListing, number: number, isCurrent: boolean, now: number): string {
  const name = one.title ?? (one.preview || '(empty)')
  const facts = [
    ago(now - one.lastActiveAt),
    one.messageCount === 1 ? '1 message' : `${one.messageCount} messages`,
    one.source === 'cli' ? '' : one.source,
  ]
  return `${String(number).padStart(2)}. ${name}${isCurrent ? '  (this one)' : ''}\n    ${one.id} · ${facts.filter(Boolean).join(' · ')}`
}
