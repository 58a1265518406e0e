import type { Tool } from '@modelcontextprotocol/client'
import { scanText } from '../security/injection/scan.ts'
import type { ToolHandle } from '../tools/tool-source.ts'
import type { Connection } from './connection.ts'
import { serverToolHandle } from './server-tool.ts'
import { uniqueNames } from './tool-names.ts'
import { utilities, utilityHandle } from './utility-tools.ts'
import { isWantedTool } from './wanted-tools.ts'

/** A tool that was left out, and what was found in its description. */
export interface HostileTool {
  readonly server: string
  readonly tool: string
  readonly reasons: readonly string[]
}

/**
 * What servers have as tools. One that is gone for the moment keeps those it had, so that a session's requests stay the
 * same; one that never came up has none. A tool whose description tries to steer the agent is left out.
 */
export function serverHandles(
  connections: readonly Connection[],
  onHostile: (tool: HostileTool) => void,
): readonly ToolHandle[] {
  const entries = connections.flatMap((connection) => {
    const { server, settings, lastFacts: facts } = connection
    if (!facts) return []
    const own = facts.tools.filter((tool) => {
      if (!isWantedTool(tool.name, settings.tools)) return false
      const reasons = steeringIn(tool)
      if (reasons.length > 0) onHostile({ server, tool: tool.name, reasons })
      return reasons.length === 0
    })
    const names = new Set(own.map(({ name }) => name))
    return [
      ...own.map((tool) => ({
        server,
        tool: tool.name,
        handle: (name: string) => serverToolHandle(name, tool, connection),
      })),
      // A server's own tool of that name goes before ours.
      ...utilities
        .filter(({ isOf, tool }) => isOf(facts) && !names.has(tool))
        .map((utility) => ({
          server,
          tool: utility.tool,
          handle: (name: string) => utilityHandle(name, utility, connection),
        })),
    ]
  })
  return [...uniqueNames(entries)].map(([name, { handle }]) => handle(name))
}

/** Everything that the model would read of a tool is looked at, with what its arguments are said to be. */
function steeringIn({ description = '', inputSchema }: Tool): readonly string[] {
  return scanText([description, ...textsIn(inputSchema)].join('\n\n'), 'skill')
}

/** The texts of a schema, wherever they stand; what is nested deeper than any schema is passed over. */
function textsIn(value: unknown, depth = 0): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null || depth > 20) return []
  return Object.values(value).flatMap((one) => textsIn(one, depth + 1))
}
