import type { AgentContext } from '../agent/context.ts'
import type { Config } from '../config/schema.ts'
import type { PromptNotice } from '../context/blocks/block.ts'
import type { ToolContribution, ToolContributor } from '../tools/tool-contributor.ts'
import { chosenServers } from './chosen-servers.ts'
import type { Connection } from './connection.ts'
import type { McpError } from './mcp-error.ts'
import type { HostileTool } from './server-handles.ts'

/** Longest that a turn waits for servers that are not connected yet, ms; what comes later is there for the next. */
const waitMs = 10_000

/** How a server stands. */
export interface ServerStatus {
  readonly name: string
  readonly isConnected: boolean
  readonly tools: number
  readonly problem: string | undefined
}

/** The MCP servers of a profile: one connection each, for all of its sessions. */
export interface McpServers extends AsyncDisposable {
  readonly contributor: ToolContributor
  /** Ends all connections and makes them anew, by what `config.yaml` and `.env` say now. Throws `ConfigError`. */
  reload(signal: AbortSignal): Promise<readonly ServerStatus[]>
}

export interface McpServersOptions {
  /** Asked for when a session needs it, so that this can be part of it. */
  readonly agent: () => AgentContext
  /** Where servers begin, absolute. */
  readonly cwd: string
}

/** Nothing is loaded or connected before a session asks for its tools. */
export function createMcpServers({ agent, cwd }: McpServersOptions): McpServers {
  let connections: Promise<ReadonlyMap<string, Connection>> | undefined
  let isClosed = false
  let servers: Config['mcp_servers'] | undefined

  const untold: PromptNotice[] = []
  const told = new Set<string>()
  const leftOut = ({ server, tool, reasons }: HostileTool): void => {
    if (told.has(`${server} ${tool}`)) return
    told.add(`${server} ${tool}`)
    agent().log.warn({ server, tool, reasons }, 'MCP tool left out: its description tries to steer the agent')
    const message = `The tool ${tool} of the MCP server ${server} is not used: its description tries to steer the agent (${reasons.join(', ')}).`
    untold.push({ level: 'warning', code: 'mcp-tool-left-out', message })
  }

  async function connect(): Promise<ReadonlyMap<string, Connection>> {
    const context = agent()
    const [{ readServerSettings }, { Connection }] = await Promise.all([
      import('./settings.ts'),
      import('./connection.ts'),
    ])
    const made = new Map<string, Connection>()
    for (const [server, value] of Object.entries(servers ?? context.config.mcp_servers)) {
      try {
        const settings = readServerSettings(server, value)
        if (settings.enabled) made.set(server, new Connection({ server, settings, agent: context, cwd }))
      } catch (error) {
        context.log.warn({ server, error: String(error) }, 'MCP server left out')
      }
    }
    return made
  }

  const open = () => {
    if (isClosed) return Promise.resolve(new Map<string, Connection>())
    return (connections ??= connect())
  }

  const close = async () => {
    const closing = connections
    connections = undefined
    await Promise.all(
      [...((await closing) ?? new Map<string, Connection>()).values()].map((one) => one[Symbol.asyncDispose]()),
    )
  }

  return {
    contributor: {
      async handles(request, signal) {
        const all = await open()
        const names = chosenServers([...all.keys()], request.toolsets, originOf(request, agent()))
        const chosen = names.flatMap((name) => all.get(name) ?? [])
        if (chosen.length === 0) return []
        await ready(chosen, signal)
        const { serverHandles } = await import('./server-handles.ts')
        return serverHandles(chosen, leftOut)
      },
      takeNotices: () => untold.splice(0),
    },
    async reload(signal) {
      const { openProfile } = await import('../config/open-profile.ts')
      servers = (await openProfile(agent().environment)).config.mcp_servers
      await close()
      const all = [...(await open()).values()]
      await ready(all, signal)
      return all.map(statusOf)
    },
    async [Symbol.asyncDispose]() {
      isClosed = true
      await close()
    },
  }
}

/** Waits until each is connected or has failed, a bounded time; those that need longer go on by themselves. */
async function ready(connections: readonly Connection[], signal: AbortSignal): Promise<void> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(waitMs)])
  // Why one is not there is in the log.
  await Promise.allSettled(connections.map((connection) => connection.facts(limited)))
}

function statusOf({ server, isConnected, lastFacts, problem }: Connection): ServerStatus {
  return { name: server, isConnected, tools: lastFacts?.tools.length ?? 0, problem: problemText(problem) }
}

function problemText(problem: McpError | undefined): string | undefined {
  return problem?.message
}

/** The same list as the platform's has the platform's meaning. */
function originOf({ toolsets, session }: ToolContribution, { config }: AgentContext): 'platform' | 'asked' {
  const lists = session ? [config.platform_toolsets[session.platform]] : Object.values(config.platform_toolsets)
  return lists.some((list) => list && list.join('\n') === toolsets?.join('\n')) ? 'platform' : 'asked'
}
