import type { SearchHit } from '@hermes/core/sessions/store.ts'
import { type Command, UsageError } from '../../command.ts'
import { list as values, wholeNumber } from '../../option-values.ts'
import { cleanLine } from '../../repl/clean-text.ts'
import { hitJson } from './session-json.ts'
import { timeAgo } from './time-text.ts'
import { withSessions } from './with-sessions.ts'
import { writeJson, writeOut } from './write-out.ts'

const roles = ['user', 'assistant', 'tool', 'system'] as const

export const search: Command = {
  name: 'search',
  summary: 'Search what was said in all sessions',
  positionals: '<query...>',
  options: {
    source: { type: 'string', multiple: true, value: 'NAME', description: 'Only sessions of this source' },
    role: { type: 'string', multiple: true, value: 'ROLE', description: 'Only messages of this role', choices: roles },
    limit: { type: 'string', value: 'N', description: 'Most messages (default 20)' },
    offset: { type: 'string', value: 'N', description: 'Messages to skip, for the next page' },
    json: { type: 'boolean', description: 'Print JSON' },
  },
  examples: [
    'hermes sessions search docker deploy*',
    `hermes sessions search '"connection refused" NOT nginx'`,
    'hermes sessions search 数据库 OR データベース --role user',
  ],
  async run({ positionals, options }, cli) {
    const query = positionals.join(' ').trim()
    if (query === '') throw new UsageError('hermes sessions search: what is to be searched for?')
    const given = values(options['role'])
    const wanted = {
      sources: values(options['source']),
      roles: given && roles.filter((role) => given.includes(role)),
      limit: wholeNumber(options['limit'], '--limit', 1) ?? 20,
      offset: wholeNumber(options['offset'], '--offset', 0) ?? 0,
    }
    return withSessions(cli, async ({ store, clock }) => {
      // One more than is shown tells whether there is a next page.
      const found = await store.search(query, { ...wanted, limit: wanted.limit + 1 })
      const hits = found.slice(0, wanted.limit)
      if (options['json'] === true) await writeJson(cli, hits.map(hitJson))
      else if (hits.length === 0) cli.stderr.write('Nothing found.\n')
      else {
        const marks = cli.stdout.isTTY && !cli.environment['NO_COLOR'] ? colours : plain
        const shown = hits.map((hit) => hitText(hit, timeAgo(hit.timestamp, clock), marks))
        await writeOut(cli, `${shown.join('\n\n')}\n`)
        const next = wanted.offset + hits.length
        if (found.length > hits.length) cli.stderr.write(`There is more; --offset ${next} shows the next.\n`)
      }
      return 0
    })
  },
}

/** What matches begin and end with. */
interface Marks {
  readonly begin: string
  readonly end: string
}

const plain: Marks = { begin: '>>>', end: '<<<' }
const colours: Marks = { begin: '\u001b[1;33m', end: '\u001b[0m' }

function hitText(hit: SearchHit, ago: string, { begin, end }: Marks): string {
  const role = hit.toolName ? `${hit.role} ${hit.toolName}` : hit.role
  const facts = [hit.sessionId, hit.sessionTitle, hit.source, role, ago].filter((fact) => fact !== undefined)
  const snippet = cleanLine(hit.snippet).replaceAll('>>>', begin).replaceAll('<<<', end)
  return `${cleanLine(facts.join(' · '))}\n  ${snippet}`
}
