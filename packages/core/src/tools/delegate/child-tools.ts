import type { ToolHandle } from '../tool-source.ts'
import { toolsOf } from '../toolsets.ts'

/** What a sub-agent never gets, whatever set it is part of: it reports to its parent and to nobody else. */
const keptFromChildren: ReadonlySet<string> = new Set([
  'clarify',
  'cronjob',
  'delegate_task',
  'execute_code',
  'memory',
  'send_message',
])

/** Those that come by themselves. */
const finders: ReadonlySet<string> = new Set(['tool_search', 'use_tool'])

/**
 * The tools of a sub-agent: of its parent's, those of the toolsets that are asked for (default: all), without those that
 * no sub-agent has.
 */
export function childTools(
  parent: ReadonlyMap<string, ToolHandle>,
  toolsets: readonly string[] | undefined,
): readonly string[] {
  const named = toolsets && new Set([...toolsOf(toolsets).tools, ...toolsets])
  const isWanted = ({ name, toolset }: ToolHandle) =>
    !named || named.has(name) || named.has(toolset) || named.has(toolset.replace(/^mcp-/, ''))
  const chosen = [...parent.values()].filter((handle) => {
    return (
      !keptFromChildren.has(handle.name) &&
      handle.toolset !== 'memory' &&
      (finders.has(handle.name) || isWanted(handle))
    )
  })
  return chosen.every(({ name }) => finders.has(name)) ? [] : chosen.map(({ name }) => name)
}
