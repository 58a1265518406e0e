import type { Tool as ServerTool } from '@modelcontextprotocol/client'
import type { ToolHandle } from '../tools/tool-source.ts'
import { type ToolContext, type ToolResult } from '../tools/tool.ts'
import type { Connection } from './connection.ts'
import { resultOf } from './result.ts'
import { serverCall } from './server-call.ts'
import { toolConsent } from './tool-consent.ts'
import { serverToolset } from './tool-names.ts'
import { toolDescription, toolParameters } from './tool-parameters.ts'

/** A tool of a server under the name that the model knows. */
export function serverToolHandle(name: string, tool: ServerTool, connection: Connection): ToolHandle {
  const { server } = connection
  return mcpHandle({
    name,
    server,
    description: toolDescription(server, tool.description),
    parameters: toolParameters(tool.inputSchema),
    isReading: tool.annotations?.readOnlyHint === true,
    run: (args, context) => runServerTool(tool, args, connection, context),
  })
}

export interface McpHandle {
  readonly name: string
  readonly server: string
  readonly description: string
  readonly parameters: Readonly<Record<string, unknown>>
  readonly isReading: boolean
  readonly run: (args: Record<string, unknown>, context: ToolContext) => Promise<ToolResult>
}

/** A handle whose arguments the server checks, not we: its schema may say more than ours can. */
export function mcpHandle({ name, server, description, parameters, isReading, run }: McpHandle): ToolHandle {
  const toolset = serverToolset(server)
  const concurrency = isReading ? 'parallel' : 'exclusive'
  return {
    name,
    toolset,
    concurrency,
    isRare: true,
    schema: { name, description, parameters },
    async open() {
      const { anyArguments } = await import('../tools/any-arguments.ts')
      return {
        name,
        toolset,
        description,
        input: anyArguments,
        concurrency,
        isRare: true,
        preview: (args) => previewOf(args),
        // The schema above makes it an object.
        run: (args, context) => run(args as Record<string, unknown>, context),
      }
    },
  }
}

async function runServerTool(
  tool: ServerTool,
  args: Record<string, unknown>,
  connection: Connection,
  context: ToolContext,
): Promise<ToolResult> {
  const { server, settings } = connection
  refuseMasks(args, server)
  const judged = { server, tool: tool.name, annotations: tool.annotations }
  const consent = settings.trust ? { allowed: true as const } : await toolConsent(judged, args, context)
  if (!consent.allowed) {
    const error = `${consent.message} Whoever trusts this server can set mcp_servers.${server}.trust to true.`
    return { content: JSON.stringify({ error }), status: 'denied' }
  }
  const result = await serverCall(connection, context, (client, options) => {
    return client.callTool({ name: tool.name, arguments: args }, options)
  })
  return resultOf(result, context.agent)
}

/** A secret that the model has only seen masked goes to no server: neither itself nor its mask in its place. */
function refuseMasks(args: unknown, server: string): void {
  const mask = JSON.stringify(args).match(/«secret:[^»\s]{1,80}»/)?.[0]
  if (mask === undefined) return
  throw new Error(`${mask} stands for a secret that is not given to the MCP server ${server}. Nothing was done.`)
}

/** The values that say most. */
function previewOf(args: unknown): string {
  const values = Object.values(args as Record<string, unknown>)
  const texts = values.filter((value) => typeof value === 'string' || typeof value === 'number')
  return texts.join(' ').slice(0, 200)
}
