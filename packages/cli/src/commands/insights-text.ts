import type { CostSum, SessionAnalytics, SessionSums } from '@hermes/core/sessions/store.ts'
import { costNote, usd } from '@hermes/core/models/cost-text.ts'
import { formatCount, sentTokens } from '@hermes/core/text/token-count.ts'
import { columnLines } from './sessions/columns.ts'
import { joinSections, number, section } from './sessions/section.ts'

/** What was asked for. */
export interface InsightsSpan {
  readonly days: number
  readonly source: string | undefined
}

/** The report for people. */
export function insightsText(sums: SessionAnalytics, span: InsightsSpan): string {
  const title = `The last ${span.days === 1 ? 'day' : `${span.days} days`}${span.source ? ` of ${span.source}` : ''}`
  if (sums.sessions + sums.messages === 0) return `${title}: nothing yet.`
  const groups = [...sums.byDay, ...sums.byModel, ...sums.bySource]
  return joinSections([
    columnLines([{ heading: title }, { heading: '' }], totals(sums)),
    section(
      ['Day', ...sumHeadings],
      sums.byDay.toReversed().map((each) => [each.day, ...sumCells(each)]),
    ),
    section(
      ['Model', ...sumHeadings],
      sums.byModel.map((each) => [each.model, ...sumCells(each)]),
    ),
    section(
      ['Source', ...sumHeadings],
      sums.bySource.map((each) => [each.source, ...sumCells(each)]),
    ),
    legend(groups.map(({ cost }) => cost)),
    section(
      ['Tool', 'Calls'],
      sums.byTool.map((each) => [each.tool, number(each.calls)]),
    ),
    section(['Busiest hours', 'Messages', ''], busiest(sums.byHour)),
  ])
}

function totals({ sessions, messages, toolCalls, usage, cost }: SessionAnalytics): [string, string][] {
  const note = costNote(cost)
  return [
    ['Sessions', number(sessions)],
    ['Messages', number(messages)],
    ['Tool calls', number(toolCalls)],
    ['Tokens in', number(sentTokens(usage))],
    ['… read from a cache', number(usage.cacheReadTokens)],
    ['… written to a cache', number(usage.cacheWriteTokens)],
    ['Tokens out', number(usage.outputTokens)],
    ['… reasoning', number(usage.reasoningTokens)],
    ['Cost', note === '' ? usd(cost.usd) : `${usd(cost.usd)} (${note})`],
  ]
}

const sumHeadings = ['Sessions', 'Messages', 'In', 'Cached', 'Out', 'Cost']

function sumCells({ sessions, messages, usage, cost }: SessionSums): string[] {
  return [
    number(sessions),
    number(messages),
    formatCount(sentTokens(usage)),
    formatCount(usage.cacheReadTokens),
    formatCount(usage.outputTokens),
    costCell(cost),
  ]
}

/** `~` before a sum that is partly estimated, `+ ?` behind one that leaves something out. */
function costCell(cost: CostSum): string {
  const mark = isEstimated(cost) ? '~' : ''
  const unknown = cost.unknownSessions > 0
  if (unknown && cost.usd === 0) return '?'
  return `${mark}${usd(cost.usd)}${unknown ? ' + ?' : ''}`
}

function isEstimated({ usd: known, reportedUsd }: CostSum): boolean {
  return known - reportedUsd > 1e-9
}

/** What the marks that are used mean. */
function legend(costs: readonly CostSum[]): string[] {
  const notes = [
    costs.some(isEstimated) ? '~ estimated by list prices' : undefined,
    costs.some(({ unknownSessions }) => unknownSessions > 0) ? '? price unknown' : undefined,
  ].filter((note) => note !== undefined)
  return notes.length > 0 ? [notes.join(' · ')] : []
}

/** Hours that are shown, and cells of the longest bar. */
const shownHours = 5
const barCells = 20

function busiest(byHour: readonly number[]): string[][] {
  const most = Math.max(1, ...byHour)
  return byHour
    .map((messages, hour) => ({ messages, hour }))
    .filter(({ messages }) => messages > 0)
    .sort((a, b) => b.messages - a.messages || a.hour - b.hour)
    .slice(0, shownHours)
    .map(({ messages, hour }) => [
      `${String(hour).padStart(2, '0')}:00`,
      number(messages),
      '▇'.repeat(Math.max(1, Math.round((barCells * messages) / most))),
    ])
}

/** The same for programs. */
export function insightsJson(sums: SessionAnalytics, { days, source }: InsightsSpan) {
  return {
    days,
    source: source ?? null,
    ...sumsJson(sums),
    tool_calls: sums.toolCalls,
    by_day: sums.byDay.map((each) => ({ day: each.day, ...sumsJson(each) })),
    by_model: sums.byModel.map((each) => ({ model: each.model, ...sumsJson(each) })),
    by_source: sums.bySource.map((each) => ({ source: each.source, ...sumsJson(each) })),
    by_tool: sums.byTool,
    messages_by_hour: sums.byHour,
  }
}

function sumsJson({ sessions, messages, usage, cost }: SessionSums) {
  return {
    sessions,
    messages,
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    cache_read_tokens: usage.cacheReadTokens,
    cache_write_tokens: usage.cacheWriteTokens,
    reasoning_tokens: usage.reasoningTokens,
    cost_usd: cost.usd,
    reported_cost_usd: cost.reportedUsd,
    estimated_cost_usd: Math.max(0, cost.usd - cost.reportedUsd),
    included_sessions: cost.includedSessions,
    unknown_cost_sessions: cost.unknownSessions,
  }
}
