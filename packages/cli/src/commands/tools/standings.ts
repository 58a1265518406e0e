import type { AgentContext } from '@hermes/core/agent/context.ts'
import { createContext } from '@hermes/core/agent/create-context.ts'
import type { ToolStanding } from '@hermes/core/tools/tool-source.ts'
import { leafToolsets, toolsetNames, toolsOf } from '@hermes/core/tools/toolsets.ts'
import type { Cli } from '../../command.ts'

/** A toolset as a platform has it. */
export interface ToolsetStanding {
  readonly name: string
  readonly on: boolean
  readonly tools: readonly ToolStanding[]
}

/** An MCP server as a platform has it. */
export interface ServerStanding {
  readonly name: string
  readonly on: boolean
}

export interface PlatformTools {
  readonly platform: string
  readonly toolsets: readonly ToolsetStanding[]
  readonly servers: readonly ServerStanding[]
}

/** What a platform's sessions can use, and what they cannot and why. Connects to nothing. */
export async function platformTools(platform: string, cli: Cli): Promise<PlatformTools> {
  await using agent = await createContext({ environment: cli.environment, cwd: cli.cwd })
  return toolsOfPlatform(platform, agent)
}

async function toolsOfPlatform(platform: string, agent: AgentContext): Promise<PlatformTools> {
  const chosen = agent.config.platform_toolsets?.[platform] ?? [`hermes-${platform}`]
  const { leaves, others } = leafToolsets(chosen)
  const standings = new Map((await agent.tools.survey(['all'])).map((one) => [one.name, one]))
  const toolsets = toolsetNames.map((name) => ({
    name,
    on: leaves.includes(name),
    tools: toolsOf([name]).tools.flatMap((tool) => standings.get(tool) ?? []),
  }))
  const names = Object.keys(agent.config.mcp_servers ?? {})
  const listed = others.filter((name) => names.includes(name))
  const servers = names.map((name) => ({
    name,
    on: !others.includes('no_mcp') && (listed.length === 0 || listed.includes(name)) && isEnabled(name, agent),
  }))
  return { platform, toolsets, servers }
}

function isEnabled(name: string, { config }: AgentContext): boolean {
  const { enabled } = config.mcp_servers[name] ?? {}
  return enabled !== false && enabled !== 'false'
}
