import type { Command } from '../../command.ts'
import { writeJson, writeOut } from '../sessions/write-out.ts'
import { platformOf, platformOption } from './platform-option.ts'
import { platformTools } from './standings.ts'
import type { PlatformTools, ToolsetStanding } from './standings.ts'

export const list: Command = {
  name: 'list',
  summary: 'Every toolset with its tools: what is on, what is missing and why',
  options: { platform: platformOption, json: { type: 'boolean', description: 'For programs' } },
  async run(input, cli) {
    const tools = await platformTools(platformOf(input), cli)
    if (input.options['json'] === true) await writeJson(cli, tools)
    else await writeOut(cli, listing(tools))
    return 0
  },
}

/** One line a toolset, and one for each of its tools that cannot be used. */
export function listing({ platform, toolsets, servers }: PlatformTools): string {
  const width = Math.max(...toolsets.map(({ name }) => name.length), ...servers.map(({ name }) => name.length))
  const lines = toolsets.flatMap((toolset) => [
    `${toolset.on ? '✓ on ' : '  off'}  ${toolset.name.padEnd(width)}  ${toolNames(toolset)}`,
    ...missingLines(toolset, width),
  ])
  const serverLines = servers.map(({ name, on }) => `${on ? '✓ on ' : '  off'}  ${name.padEnd(width)}  MCP server`)
  return `Tools of ${platform}:\n${[...lines, ...serverLines].join('\n')}\n`
}

function toolNames({ tools }: ToolsetStanding): string {
  return tools.map(({ name, missing }) => (missing === undefined ? name : `(${name})`)).join(', ')
}

/** Where all tools of a set lack the same, once. */
function missingLines({ on, tools }: ToolsetStanding, width: number): readonly string[] {
  if (!on) return []
  const byReason = Map.groupBy(
    tools.filter(({ missing }) => missing !== undefined),
    ({ missing }) => missing ?? '',
  )
  return [...byReason].map(([reason, list]) => {
    const names = list.length === tools.length ? '' : `${list.map(({ name }) => name).join(', ')}: `
    return `${' '.repeat(9 + width)}! ${names}${reason}`
  })
}
