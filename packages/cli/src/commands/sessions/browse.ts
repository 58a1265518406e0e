import type { Cli, Command } from '../../command.ts'
import { text, wholeNumber } from '../../option-values.ts'
import { canPick } from '../../picker/can-pick.ts'
import { printList } from './list.ts'
import { namedSession, type Sessions, withSessions } from './with-sessions.ts'
import { writeJson, writeOut } from './write-out.ts'

export const browse: Command = {
  name: 'browse',
  summary: 'Pick a session and go on with it; with a session, show its conversation',
  positionals: '[session...]',
  options: {
    source: { type: 'string', value: 'NAME', description: 'Only sessions of one source' },
    limit: { type: 'string', value: 'N', description: 'Most sessions to pick from (default 50)' },
    json: { type: 'boolean', description: 'Print JSON' },
  },
  examples: ['hermes sessions browse', 'hermes sessions browse 20260225_0810 | less'],
  async run({ positionals, options }, cli) {
    const asJson = options['json'] === true
    const name = positionals.join(' ')
    if (name !== '') return withSessions(cli, (sessions) => showConversation(sessions, cli, name, asJson))
    const limit = wholeNumber(options['limit'], '--limit', 1) ?? 50
    const wanted = { source: text(options['source']), includeChildren: false, limit }
    if (asJson || !canPick(cli)) {
      return withSessions(cli, (sessions) => printList(sessions, cli, wanted, asJson))
    }
    const { pickSession } = await import('./picker.ts')
    const chosen = await withSessions(cli, async ({ store, clock }) =>
      pickSession(await store.list(wanted), clock, cli),
    )
    return chosen === undefined ? 0 : goOn(chosen, cli)
  },
}

async function showConversation({ store, clock }: Sessions, cli: Cli, name: string, asJson: boolean): Promise<number> {
  const session = await namedSession(store, name)
  const messages = await store.messages(session.id)
  if (asJson) {
    await writeJson(cli, { id: session.id, title: session.title ?? null, messages })
    return 0
  }
  const { conversationText } = await import('./conversation-text.ts')
  await writeOut(cli, `${conversationText(session, messages, clock)}\n`)
  return 0
}

async function goOn(id: string, cli: Cli): Promise<number> {
  const { rootCommand } = await import('../../root-command.ts')
  return rootCommand.run?.({ positionals: [], options: { resume: id } }, cli) ?? 0
}
