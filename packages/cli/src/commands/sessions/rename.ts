import { type Command, CommandError, UsageError } from '../../command.ts'
import { cleanLine } from '../../repl/clean-text.ts'
import { namedSession, type Sessions, withSessions } from './with-sessions.ts'
import { writeJson, writeOut } from './write-out.ts'

export const rename: Command = {
  name: 'rename',
  summary: 'Give a session a title; without an id, the last session',
  positionals: '[session] <title...>',
  options: { json: { type: 'boolean', description: 'Print JSON' } },
  examples: ['hermes sessions rename 20260225_0810 deploy plan', 'hermes sessions rename "deploy plan"'],
  async run({ positionals, options }, cli) {
    if (positionals.length === 0) throw new UsageError('hermes sessions rename: what is the new title?')
    return withSessions(cli, async (sessions) => {
      const { id, title } = await wanted(sessions, positionals)
      const stored = await sessions.store.rename(id, title)
      if (options['json'] === true) await writeJson(cli, { id, title: stored ?? null })
      else
        await writeOut(cli, stored === undefined ? `${id} has no title now.\n` : `${id} is “${cleanLine(stored)}”.\n`)
      return 0
    })
  },
}

/** The session and the title that are meant: one word or quoted text alone is a title for the last session. */
async function wanted({ store }: Sessions, positionals: readonly string[]): Promise<{ id: string; title: string }> {
  const [first = '', ...rest] = positionals
  if (rest.length > 0) return { id: (await namedSession(store, first)).id, title: rest.join(' ') }
  if (await store.get(first)) throw new UsageError(`hermes sessions rename: what is the new title of ${first}?`)
  const last = await store.latest()
  if (!last) throw new CommandError('There is no session yet.')
  return { id: last.id, title: first }
}
