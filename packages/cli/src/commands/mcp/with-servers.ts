import { createContext } from '@hermes/core/agent/create-context.ts'
import type { OpenContext } from '@hermes/core/agent/create-context.ts'
import { ConfigError } from '@hermes/core/config/config-error.ts'
import { openProfile } from '@hermes/core/config/open-profile.ts'
import { parseYamlFile } from '@hermes/core/config/yaml-file.ts'
import { readIfThere } from '@hermes/core/config/read-if-there.ts'
import { getAt, isTree } from '@hermes/core/config/tree.ts'
import { CredentialError } from '@hermes/core/credentials/credential-error.ts'
import { McpError } from '@hermes/core/mcp/mcp-error.ts'
import type { Probe } from '@hermes/core/mcp/probe.ts'
import { nearest } from '@hermes/core/text/nearest.ts'
import { type Cli, CommandError, UsageError } from '../../command.ts'
import { cleanText } from '../../repl/clean-text.ts'
import { terminalFace } from '../auth/terminal-face.ts'

/** The servers as `config.yaml` has them, `${NAME}` and all. */
export type WrittenServers = Readonly<Record<string, Readonly<Record<string, unknown>>>>

export interface ServersContext {
  readonly agent: OpenContext
  readonly servers: WrittenServers
  /** Connects to a server and looks what it has; signs the person in where that is needed. */
  readonly probe: (server: string, value: unknown, more?: Readonly<Record<string, string>>) => Promise<Probe>
}

export interface WithServersOptions {
  readonly noBrowser?: boolean
}

/** Opens the profile for one command; what is refused is told in its own words. */
export async function withServers<Result>(
  cli: Cli,
  work: (context: ServersContext) => Promise<Result>,
  { noBrowser = false }: WithServersOptions = {},
): Promise<Result> {
  try {
    const profile = await openProfile(cli.environment)
    await using agent = await createContext({ environment: cli.environment, cwd: cli.cwd, profile })
    return await work({ agent, servers: writtenServers(agent), probe: prober(agent, cli, noBrowser) })
  } catch (error) {
    cli.signal.throwIfAborted()
    const isKnown = error instanceof ConfigError || error instanceof McpError || error instanceof CredentialError
    if (isKnown) throw new CommandError(cleanText(error.message), 1, { cause: error })
    throw error
  }
}

/** What `config.yaml` says of the server that a person names. Throws `UsageError` with the nearest names. */
export function serverNamed(name: string | undefined, servers: WrittenServers): Readonly<Record<string, unknown>> {
  const names = Object.keys(servers)
  const all =
    names.length > 0 ? `There are: ${names.join(', ')}.` : 'There is none yet; add one: hermes mcp add NAME ...'
  if (name === undefined) throw new UsageError(`Say which server. ${all}`)
  const value = Object.hasOwn(servers, name) ? servers[name] : undefined
  if (value) return value
  const near = nearest(name, names)
  throw new UsageError(`There is no MCP server "${name}". ${near === undefined ? all : `Did you mean ${near}?`}`)
}

function writtenServers({ home }: OpenContext): WrittenServers {
  const text = readIfThere(home.path('config.yaml'))?.toString('utf8') ?? ''
  const servers = getAt(parseYamlFile(text, 'config.yaml').tree, ['mcp_servers'])
  if (!isTree(servers)) return {}
  return Object.fromEntries(Object.entries(servers).map(([name, value]) => [name, isTree(value) ? value : {}]))
}

function prober(agent: OpenContext, cli: Cli, noBrowser: boolean): ServersContext['probe'] {
  return async (server, value, more = {}) => {
    const { probeServer } = await import('@hermes/core/mcp/probe.ts')
    const canSignIn = cli.stdin.isTTY === true || noBrowser
    const face = canSignIn ? terminalFace(cli, server, { noBrowser }) : undefined
    const variables = { ...agent.environment, ...more }
    return probeServer({ server, value, variables, agent, cwd: cli.cwd, face }, cli.signal)
  }
}
