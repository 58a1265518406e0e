import { createHash } from 'node:crypto'

/** Longest name of a tool that every model provider takes, characters. */
const maxChars = 64

/** The toolset of a server's tools. */
export function serverToolset(server: string): string {
  return `mcp-${server}`
}

/** A tool's name for the model: `mcp_<server>_<tool>` in letters, digits and `_`. */
export function toolName(server: string, tool: string): string {
  const name = `mcp_${wordOf(server)}_${wordOf(tool)}`
  return name.length <= maxChars ? name : withDigest(name, server, tool)
}

/** A tool of a server, as the server calls it. */
export interface NamedTool {
  readonly server: string
  readonly tool: string
}

/**
 * A name for each tool, no two the same, whatever order they come in. Where two would have the same name each of them
 * gets a digest of what it is really called.
 */
export function uniqueNames<Item extends NamedTool>(items: readonly Item[]): ReadonlyMap<string, Item> {
  const byName = Map.groupBy(items, ({ server, tool }) => toolName(server, tool))
  const named = new Map<string, Item>()
  for (const [name, same] of byName) {
    const [only] = same
    if (same.length === 1 && only) named.set(name, only)
    else for (const item of same) named.set(withDigest(name, item.server, item.tool), item)
  }
  return named
}

function wordOf(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9_]/g, '_') || '_'
}

function withDigest(name: string, server: string, tool: string): string {
  const digest = createHash('sha256').update(`${server}\0${tool}`).digest('hex').slice(0, 8)
  return `${name.slice(0, maxChars - digest.length - 1)}_${digest}`
}
