import type { Session } from '@hermes/core/sessions/store.ts'
import { type Command, UsageError } from '../../command.ts'
import { cleanLine } from '../../repl/clean-text.ts'
import { confirm } from './confirm.ts'
import { namedSession, withSessions } from './with-sessions.ts'
import { writeJson, writeOut } from './write-out.ts'

export const deleteSession: Command = {
  name: 'delete',
  summary: 'Delete a session and its messages',
  positionals: '<session>',
  options: {
    yes: { type: 'boolean', short: 'y', description: 'Do not ask' },
    json: { type: 'boolean', description: 'Print JSON' },
  },
  async run({ positionals, options }, cli) {
    const [name, ...others] = positionals
    if (name === undefined || others.length > 0) {
      throw new UsageError('hermes sessions delete: name one session (an id, the start of one, or a title in quotes)')
    }
    return withSessions(cli, async ({ store }) => {
      const session = await namedSession(store, name)
      if (options['yes'] !== true && !(await confirm(`Delete ${describe(session)}?`, cli))) {
        cli.stderr.write('Nothing was deleted.\n')
        return 1
      }
      await store.remove(session.id)
      if (options['json'] === true) await writeJson(cli, { deleted: session.id })
      else await writeOut(cli, `Deleted ${session.id}.\n`)
      return 0
    })
  },
}

function describe({ id, title, messageCount }: Session): string {
  return cleanLine(`session ${id}${title === undefined ? '' : ` “${title}”`} and its ${messageCount} messages`)
}
