import type { Cli, Command } from '../../command.ts'
import { text, wholeNumber } from '../../option-values.ts'
import { sessionJson } from './session-json.ts'
import { type Sessions, withSessions } from './with-sessions.ts'
import { writeJson, writeOut } from './write-out.ts'

export const list: Command = {
  name: 'list',
  summary: 'List sessions, last used first',
  options: {
    source: { type: 'string', value: 'NAME', description: 'Only sessions of one source: cli, telegram, cron, tool …' },
    limit: { type: 'string', value: 'N', description: 'Most sessions (default 20)' },
    all: { type: 'boolean', description: 'Also continuations and delegated work' },
    json: { type: 'boolean', description: 'Print JSON' },
  },
  async run({ options }, cli) {
    const limit = wholeNumber(options['limit'], '--limit', 1) ?? 20
    const wanted = { source: text(options['source']), includeChildren: options['all'] === true, limit }
    return withSessions(cli, (sessions) => printList(sessions, cli, wanted, options['json'] === true))
  },
}

/** Prints sessions as a table or as JSON. */
export async function printList(
  { store, clock }: Sessions,
  cli: Cli,
  wanted: { readonly source: string | undefined; readonly includeChildren: boolean; readonly limit: number },
  asJson: boolean,
): Promise<number> {
  // One more than is shown tells whether there are more.
  const found = await store.list({ ...wanted, limit: wanted.limit + 1 })
  const sessions = found.slice(0, wanted.limit)
  if (asJson) {
    await writeJson(cli, sessions.map(sessionJson))
    return 0
  }
  if (sessions.length === 0) {
    cli.stderr.write(wanted.source === undefined ? 'No sessions yet.\n' : `No sessions of source "${wanted.source}".\n`)
    return 0
  }
  const { sessionLines } = await import('./session-lines.ts')
  const width = cli.stdout.isTTY ? cli.stdout.columns : undefined
  await writeOut(cli, `${sessionLines(sessions, clock, width).join('\n')}\n`)
  if (found.length > sessions.length)
    cli.stderr.write(`Only the last ${sessions.length} are shown; --limit N shows more.\n`)
  return 0
}
