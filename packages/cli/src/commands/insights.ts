import type { Command } from '../command.ts'
import { text, wholeNumber } from '../option-values.ts'
import { withSessions } from './sessions/with-sessions.ts'
import { writeJson, writeOut } from './sessions/write-out.ts'

const dayMs = 24 * 3_600_000

/** Days that are summed unless one says otherwise. */
const usualDays = 30

export const command: Command = {
  name: 'insights',
  summary: 'What was used and what it cost: by day, model and source, with tools and hours',
  options: {
    days: { type: 'string', value: 'N', description: `The last N days (default ${usualDays})` },
    source: { type: 'string', value: 'NAME', description: 'Only sessions of one source, e.g. cli' },
    json: { type: 'boolean', description: 'Print JSON' },
  },
  examples: ['hermes insights --days 7', 'hermes insights --source telegram --json | jq .by_model'],
  async run({ options }, cli) {
    const days = wholeNumber(options['days'], '--days', 1) ?? usualDays
    const source = text(options['source'])
    return withSessions(cli, async ({ store, clock }) => {
      const sums = await store.analytics({ since: clock.now() - days * dayMs, source })
      const { insightsJson, insightsText } = await import('./insights-text.ts')
      if (options['json'] === true) await writeJson(cli, insightsJson(sums, { days, source }))
      else await writeOut(cli, `${insightsText(sums, { days, source })}\n`)
      return 0
    })
  },
}
