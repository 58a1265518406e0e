import type { SessionAnalytics } from '@hermes/core/sessions/store.ts'
import type { Command } from '../../command.ts'
import { usd } from '@hermes/core/models/cost-text.ts'
import { wholeNumber } from '../../option-values.ts'
import { columnLines } from './columns.ts'
import { joinSections, number, section } from './section.ts'
import { withSessions } from './with-sessions.ts'
import { writeJson, writeOut } from './write-out.ts'

const dayMs = 24 * 3_600_000

export const analytics: Command = {
  name: 'analytics',
  summary: 'Sums over all sessions: messages, tokens, sources, models, tools, days',
  options: {
    days: { type: 'string', value: 'N', description: 'Only the last N days' },
    json: { type: 'boolean', description: 'Print JSON' },
  },
  async run({ options }, cli) {
    const days = wholeNumber(options['days'], '--days', 1)
    return withSessions(cli, async ({ store, clock }) => {
      const sums = await store.analytics({ since: days === undefined ? 0 : clock.now() - days * dayMs })
      if (options['json'] === true) await writeJson(cli, analyticsJson(sums))
      else await writeOut(cli, `${analyticsText(sums)}\n`)
      return 0
    })
  },
}

/** Upstream's short form of the same. */
export const stats: Command = {
  name: 'stats',
  summary: 'Totals, and the size of the database',
  options: { json: { type: 'boolean', description: 'Print JSON' } },
  async run({ options }, cli) {
    return withSessions(cli, async ({ store }) => {
      const sums = await store.analytics()
      if (options['json'] === true) await writeJson(cli, analyticsJson(sums))
      else await writeOut(cli, `${statsText(sums)}\n`)
      return 0
    })
  },
}

function statsText({ sessions, messages, bySource, databaseBytes }: SessionAnalytics): string {
  const lines = [`Sessions: ${sessions}`, `Messages: ${messages}`]
  for (const each of bySource) lines.push(`  ${each.source}: ${each.sessions} sessions`)
  return [...lines, `Database: ${megabytes(databaseBytes)}`].join('\n')
}

function analyticsText(sums: SessionAnalytics): string {
  const { usage } = sums
  const totals: [string, string][] = [
    ['Sessions', number(sums.sessions)],
    ['Messages', number(sums.messages)],
    ['Tool calls', number(sums.toolCalls)],
    ['Input tokens', number(usage.inputTokens)],
    ['Output tokens', number(usage.outputTokens)],
    ['Cached tokens read', number(usage.cacheReadTokens)],
    ['Cached tokens written', number(usage.cacheWriteTokens)],
    ['Reasoning tokens', number(usage.reasoningTokens)],
    ['Cost', usd(sums.cost.usd)],
    ['Database', megabytes(sums.databaseBytes)],
  ]
  return joinSections([
    columnLines([{ heading: 'Total' }, { heading: '' }], totals),
    section(
      ['Source', 'Sessions', 'Messages'],
      sums.bySource.map((each) => [each.source, number(each.sessions), number(each.messages)]),
    ),
    section(
      ['Model', 'Sessions', 'Input', 'Output'],
      sums.byModel.map((each) => [
        each.model,
        number(each.sessions),
        number(each.usage.inputTokens),
        number(each.usage.outputTokens),
      ]),
    ),
    section(
      ['Tool', 'Calls'],
      sums.byTool.map((each) => [each.tool, number(each.calls)]),
    ),
    section(
      ['Day', 'Sessions', 'Messages'],
      sums.byDay.toReversed().map((each) => [each.day, number(each.sessions), number(each.messages)]),
    ),
  ])
}

function analyticsJson(sums: SessionAnalytics) {
  return {
    sessions: sums.sessions,
    messages: sums.messages,
    tool_calls: sums.toolCalls,
    input_tokens: sums.usage.inputTokens,
    output_tokens: sums.usage.outputTokens,
    cache_read_tokens: sums.usage.cacheReadTokens,
    cache_write_tokens: sums.usage.cacheWriteTokens,
    reasoning_tokens: sums.usage.reasoningTokens,
    estimated_cost_usd: sums.cost.usd,
    database_bytes: sums.databaseBytes,
    by_source: sums.bySource.map(({ source, sessions, messages }) => ({ source, sessions, messages })),
    by_model: sums.byModel.map(({ model, sessions, usage }) => ({
      model,
      sessions,
      input_tokens: usage.inputTokens,
      output_tokens: usage.outputTokens,
    })),
    by_tool: sums.byTool,
    by_day: sums.byDay.map(({ day, sessions, messages }) => ({ day, sessions, messages })),
  }
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}
