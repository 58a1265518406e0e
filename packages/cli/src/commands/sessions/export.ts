import { open } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { SessionStore } from '@hermes/core/sessions/store.ts'
import { type Cli, type Command, UsageError } from '../../command.ts'
import { text } from '../../option-values.ts'
import { namedSession, type Sessions, withSessions } from './with-sessions.ts'
import { writeOut } from './write-out.ts'

/** How an id of a session begins; anything else in its place is a file. */
const idStart = /^\d{8}_\d{4,6}(?:_|$)/

const pageSize = 200

export const exportSessions: Command = {
  name: 'export',
  summary: 'Export sessions with their messages, one JSON object a line',
  positionals: '[session] [file]',
  options: {
    source: { type: 'string', value: 'NAME', description: 'Only sessions of one source' },
    'session-id': { type: 'string', value: 'SESSION', description: 'Only this session: id, prefix or title' },
    json: { type: 'boolean', description: 'One indented JSON document: the session, or a list of all' },
  },
  examples: [
    'hermes sessions export all.jsonl',
    'hermes sessions export - --source telegram | jq .title',
    'hermes sessions export 20260225_081000_52e6b438 --json',
  ],
  async run({ positionals, options }, cli) {
    return withSessions(cli, async (sessions) => {
      const { session, file } = await wanted(sessions, positionals, text(options['session-id']))
      const ids = session === undefined ? allIds(sessions.store, text(options['source'])) : [session]
      const layout = options['json'] !== true ? 'lines' : session === undefined ? 'list' : 'document'
      const count = await write(exported(sessions, ids), layout, cli, file)
      if (file !== undefined)
        cli.stderr.write(`Exported ${count} ${count === 1 ? 'session' : 'sessions'} to ${file}.\n`)
      return 0
    })
  },
}

async function wanted({ store }: Sessions, positionals: readonly string[], name: string | undefined) {
  const [first, second, ...others] = positionals
  const isSession = first !== undefined && (idStart.test(first) || (await store.get(first)) !== undefined)
  if (others.length > 0 || (second !== undefined && !isSession)) {
    throw new UsageError('hermes sessions export: give at most a session and a file')
  }
  if (isSession && name !== undefined) throw new UsageError('hermes sessions export: name the session once')
  const session = name ?? (isSession ? first : undefined)
  const file = isSession ? second : first
  return {
    session: session === undefined ? undefined : (await namedSession(store, session)).id,
    file: file === '-' ? undefined : file,
  }
}

/** Every session, newest first, also those that lists hide. */
async function* allIds(store: SessionStore, source: string | undefined): AsyncGenerator<string> {
  for (let offset = 0; ; offset += pageSize) {
    const options = { source, excludeSources: [], includeChildren: true, limit: pageSize, offset }
    const page = await store.list(options)
    for (const { id } of page) yield id
    if (page.length < pageSize) return
  }
}

/** The sessions with everything in them. */
async function* exported({ store }: Sessions, ids: Iterable<string> | AsyncIterable<string>): AsyncGenerator {
  for await (const id of ids) {
    const session = await store.exportSession(id)
    if (session) yield session
  }
}

/** Writes sessions to a private file or to stdout; how many there were. */
async function write(
  sessions: AsyncIterable<unknown>,
  layout: 'lines' | 'list' | 'document',
  cli: Cli,
  file: string | undefined,
): Promise<number> {
  const out = file === undefined ? undefined : await open(resolve(cli.cwd, file), 'w', 0o600)
  const put = async (piece: string) => (out ? out.writeFile(piece) : writeOut(cli, piece))
  let count = 0
  try {
    if (layout === 'list') await put('[')
    for await (const session of sessions) {
      cli.signal.throwIfAborted()
      const separator = layout === 'list' ? (count > 0 ? ',\n' : '\n') : ''
      const ending = layout === 'list' ? '' : '\n'
      await put(separator + JSON.stringify(session, null, layout === 'lines' ? undefined : 2) + ending)
      count += 1
    }
    if (layout === 'list') await put('\n]\n')
  } finally {
    await out?.close()
  }
  return count
}
