import { noMcpServers } from '../tools/toolsets.ts'
import { leafToolsets } from '../tools/toolsets.ts'
import { serverToolset } from './tool-names.ts'

const everything: ReadonlySet<string> = new Set(['all', '*'])

/** Where a list of toolsets comes from: `platform_toolsets`, which leaves servers out by naming others, or a person. */
export type ToolsetsOrigin = 'platform' | 'asked'

/**
 * The servers that a list of toolsets allows: those that it names (`name` or `mcp-name`). Where it names none: all,
 * for the list of a platform and where it has a face's whole set; else none. `no_mcp`: none.
 */
export function chosenServers(
  servers: readonly string[],
  toolsets: readonly string[] | undefined,
  origin: ToolsetsOrigin,
): readonly string[] {
  if (!toolsets) return servers
  if (toolsets.includes(noMcpServers)) return []
  const { others } = leafToolsets(toolsets)
  const listed = servers.filter((name) => others.includes(name) || toolsets.includes(serverToolset(name)))
  if (listed.length > 0) return listed
  const isWhole = toolsets.some((name) => everything.has(name) || name.startsWith('hermes-'))
  return origin === 'platform' || isWhole ? servers : []
}
