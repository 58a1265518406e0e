import type { ToolHandle } from '../tools/tool-source.ts'
import type { Connection } from './connection.ts'
import { serverToolHandle } from './server-tool.ts'
import { uniqueNames } from './tool-names.ts'
import { utilities, utilityHandle } from './utility-tools.ts'
import { isWantedTool } from './wanted-tools.ts'

/**
 * What servers have as tools. One that is gone for the moment keeps those it had, so that a session's requests stay the
 * same; one that never came up has none.
 */
export function serverHandles(connections: readonly Connection[]): readonly ToolHandle[] {
  const entries = connections.flatMap((connection) => {
    const { server, settings, lastFacts: facts } = connection
    if (!facts) return []
    const own = facts.tools.filter(({ name }) => isWantedTool(name, settings.tools))
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
