import { editConfig } from '../config/edit.ts'
import type { ConfigEdit, EditConfigOptions } from '../config/edit.ts'
import { getAt } from '../config/tree.ts'
import type { Tree } from '../config/tree.ts'
import { nearest } from '../text/nearest.ts'
import { leafToolsets, toolsetNames } from './toolsets.ts'

/** A name that is no toolset, or a server that is not there; the message has the nearest ones. */
export class ToolsetError extends Error {
  override readonly name = 'ToolsetError'
  readonly code = 'unknown-toolset'
}

export interface ToolSwitch {
  /** A toolset, an MCP server, or `server:tool`. */
  readonly names: readonly string[]
  readonly on: boolean
  /** Face or platform whose sessions it is for; tools of servers are switched for all. */
  readonly platform: string
}

/**
 * Switches toolsets and tools of MCP servers on or off in `config.yaml`. A platform that had the usual set is written out
 * set by set. Resolves to whether anything changed. Throws `ToolsetError` and `ConfigError`; then nothing was changed.
 */
export function switchToolsets({ names, on, platform }: ToolSwitch, options: EditConfigOptions): Promise<boolean> {
  return editConfig(options, (tree) => {
    const servers = Object.keys(mapping(tree, ['mcp_servers']))
    refuseUnknown(names, servers)
    const tools = names.filter((name) => name.includes(':'))
    const sets = names.filter((name) => !name.includes(':'))
    return [...serverToolEdits(tools, on, tree), ...platformEdits(sets, { on, platform, servers, tree })]
  })
}

function refuseUnknown(names: readonly string[], servers: readonly string[]): void {
  for (const name of names) {
    const [server = ''] = name.split(':')
    const known = name.includes(':') ? servers : [...toolsetNames, ...servers]
    if (known.includes(server)) continue
    const near = nearest(server, known)
    const all = known.length > 0 ? `There are: ${known.join(', ')}.` : 'No MCP server is set up.'
    const kind = name.includes(':') ? 'MCP server' : 'toolset'
    throw new ToolsetError(`There is no ${kind} "${server}". ${near ? `Did you mean ${near}?` : all}`)
  }
}

interface PlatformChange {
  readonly on: boolean
  readonly platform: string
  readonly servers: readonly string[]
  readonly tree: Tree
}

function platformEdits(names: readonly string[], change: PlatformChange): readonly ConfigEdit[] {
  if (names.length === 0) return []
  const { on, platform, servers, tree } = change
  const path = ['platform_toolsets', platform]
  const present = getAt(tree, path)
  const list = Array.isArray(present) ? present.map(String) : [`hermes-${platform}`]
  const { leaves, others } = leafToolsets(list)
  const wanted = new Set(leaves)
  const named = names.filter((name) => toolsetNames.includes(name))
  for (const name of named) {
    if (on) wanted.add(name)
    else wanted.delete(name)
  }
  const value = [...toolsetNames.filter((name) => wanted.has(name)), ...serversAfter(others, names, { on, servers })]
  return JSON.stringify(value) === JSON.stringify([...leaves, ...others]) ? [] : [{ path, value }]
}

/** Listing servers makes an allow-list of them; `no_mcp` allows none. */
function serversAfter(
  others: readonly string[],
  names: readonly string[],
  { on, servers }: Pick<PlatformChange, 'on' | 'servers'>,
): readonly string[] {
  const named = names.filter((name) => servers.includes(name) && !toolsetNames.includes(name))
  if (named.length === 0) return others
  const rest = others.filter((name) => name !== 'no_mcp' && !servers.includes(name))
  const listed = others.filter((name) => servers.includes(name))
  const before = others.includes('no_mcp') ? [] : listed.length > 0 ? listed : servers
  const after = on ? [...new Set([...before, ...named])] : before.filter((name) => !named.includes(name))
  if (after.length === servers.length) return rest
  return [...rest, ...(after.length === 0 ? ['no_mcp'] : after)]
}

function serverToolEdits(names: readonly string[], on: boolean, tree: Tree): readonly ConfigEdit[] {
  const byServer = Map.groupBy(names, (name) => name.slice(0, name.indexOf(':')))
  return [...byServer].flatMap(([server, list]) => {
    const tools = new Set(list.map((name) => name.slice(server.length + 1)))
    const path = ['mcp_servers', server, 'tools']
    const included = textList(getAt(tree, [...path, 'include']))
    // With an allow-list the tool joins or leaves it; it wins over the other list.
    const key = included ? 'include' : 'exclude'
    const current = included ?? textList(getAt(tree, [...path, 'exclude'])) ?? []
    const adds = (key === 'include') === on
    const value = adds ? [...new Set([...current, ...tools])] : current.filter((name) => !tools.has(name))
    return value.length === current.length ? [] : [{ path: [...path, key], value }]
  })
}

function textList(value: unknown): readonly string[] | undefined {
  if (typeof value === 'string') return [value]
  return Array.isArray(value) ? value.map(String) : undefined
}

function mapping(tree: Tree, path: readonly string[]): Readonly<Record<string, unknown>> {
  const value = getAt(tree, path)
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}
