import type { Probe } from '@hermes/core/mcp/probe.ts'
import type { Cli } from '../../command.ts'
import { cleanLine } from '../../repl/clean-text.ts'
import { cutToWidth } from '../sessions/columns.ts'

/** What a server has, a line a tool; those that the model does not get are marked. */
export function probeText({ tools, hasResources, hasPrompts }: Probe, { stdout }: Cli): string {
  const width = Math.max(4, ...tools.map(({ name }) => name.length))
  const lines = tools.map(({ name, description, isOn }) => {
    const line = `  ${isOn ? '✓' : ' '} ${cleanLine(name).padEnd(width)}  ${cleanLine(description)}`
    return cutToWidth(line, stdout.columns ?? 120)
  })
  const others = [hasResources && 'resources', hasPrompts && 'prompts'].filter(Boolean).join(' and ')
  return [...lines, ...(others === '' ? [] : [`  It has ${others} besides.`])].map((line) => `${line}\n`).join('')
}
