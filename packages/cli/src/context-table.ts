import type { ContextPart, ContextReport } from '@hermes/core/context/context-report.ts'
import { formatContext } from '@hermes/core/text/token-count.ts'

const groups: readonly (readonly [ContextPart['group'], string])[] = [
  ['prompt', 'System prompt'],
  ['tools', 'Tools'],
  ['conversation', 'Conversation'],
]

/** What a request sends, as a table: each part with its tokens, and the sums. */
export function contextTable(report: ContextReport): string {
  const width = Math.max(...report.parts.map(({ name }) => name.length), 0)
  const sections = groups.flatMap(([group, title]) => {
    const parts = report.parts.filter((part) => part.group === group)
    if (parts.length === 0) return []
    const sum = parts.reduce((total, { tokens }) => total + tokens, 0)
    const rows = parts.map(({ name, about, tokens }) => {
      return `  ${name.padEnd(width)}  ${count(tokens).padStart(7)}  ${about}`.trimEnd()
    })
    return [`${title}: ${count(sum)} tokens\n${rows.join('\n')}`]
  })
  const total = `All: about ${formatContext(report.tokens, report.contextLength)} of ${report.model}`
  return [...sections, total].join('\n\n')
}

/** e.g. `2,425`. */
function count(value: number): string {
  return String(value).replaceAll(/\B(?=(\d{3})+$)/g, ',')
}
