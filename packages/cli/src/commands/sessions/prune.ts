import { type Command, UsageError } from '../../command.ts'
import { text } from '../../option-values.ts'
import { confirm } from './confirm.ts'
import { dateText, parseAge } from './time-text.ts'
import { withSessions } from './with-sessions.ts'
import { writeJson, writeOut } from './write-out.ts'

const defaultAge = '90d'

export const prune: Command = {
  name: 'prune',
  summary: 'Delete ended sessions that are older than 90 days',
  options: {
    before: { type: 'string', value: 'AGE', description: 'Older than this: 36h, 30d, 8w (default 90d)' },
    'older-than': { type: 'string', value: 'DAYS', description: 'The same, in days' },
    source: { type: 'string', value: 'NAME', description: 'Only sessions of one source' },
    yes: { type: 'boolean', short: 'y', description: 'Do not ask' },
    json: { type: 'boolean', description: 'Print JSON' },
  },
  examples: ['hermes sessions prune --before 30d', 'hermes sessions prune --before 8w --source cron --yes'],
  async run({ options }, cli) {
    const given = text(options['before']) ?? text(options['older-than']) ?? defaultAge
    const age = parseAge(given)
    if (age === undefined) {
      throw new UsageError(`hermes sessions prune: an age is a number with h, d or w, e.g. 30d; got "${given}"`)
    }
    const source = text(options['source'])
    return withSessions(cli, async ({ store, clock }) => {
      const before = clock.now() - age
      const which = `ended ${source === undefined ? '' : `${source} `}sessions from before ${dateText(before, clock)}`
      if (options['yes'] !== true && !(await confirm(`Delete all ${which}?`, cli))) {
        cli.stderr.write('Nothing was deleted.\n')
        return 1
      }
      const pruned = await store.prune({ before, source })
      if (options['json'] === true) await writeJson(cli, { pruned })
      else await writeOut(cli, `Deleted ${pruned} ${which}.\n`)
      return 0
    })
  },
}
