import { z } from 'zod'
import type { ToolHandle } from '../tools/tool-source.ts'
import type { ToolContext, ToolResult } from '../tools/tool.ts'
import type { Connection, ServerFacts } from './connection.ts'
import { clean, contentText, resourceText } from './result.ts'
import { serverCall } from './server-call.ts'
import { mcpHandle } from './server-tool.ts'

/** Most resources or prompts that one answer lists. */
const maxListed = 200

interface Utility {
  readonly tool: string
  readonly isOf: (facts: ServerFacts) => boolean
  readonly description: (server: string) => string
  readonly input: z.ZodType<Record<string, unknown>>
  run(args: Record<string, unknown>, connection: Connection, context: ToolContext): Promise<ToolResult>
}

const nothing = z.object({})
const uri = z.object({ uri: z.string() })
const prompt = z.object({ name: z.string(), arguments: z.record(z.string(), z.coerce.string()).optional() })

/** What a server has beside tools, as tools. */
export const utilities: readonly Utility[] = [
  {
    tool: 'list_resources',
    isOf: ({ hasResources }) => hasResources,
    description: (server) => `List the resources (documents, data) of the MCP server ${server}.`,
    input: nothing,
    async run(_args, connection, context) {
      const { resources } = await serverCall(connection, context, (client, options) =>
        client.listResources(undefined, options),
      )
      const { resourceTemplates } = await serverCall(connection, context, (client, options) =>
        client.listResourceTemplates(undefined, options),
      )
      const listed = resources.slice(0, maxListed).map((one) => ({
        uri: one.uri,
        name: one.title ?? one.name,
        description: one.description,
        mimeType: one.mimeType,
      }))
      const templates = resourceTemplates.slice(0, maxListed).map((one) => ({
        uriTemplate: one.uriTemplate,
        name: one.title ?? one.name,
        description: one.description,
      }))
      const more = resources.length - listed.length
      const value = { resources: listed, ...(templates.length > 0 && { templates }), ...(more > 0 && { more }) }
      return clean(value, context.agent)
    },
  },
  {
    tool: 'read_resource',
    isOf: ({ hasResources }) => hasResources,
    description: (server) => `Read a resource of the MCP server ${server} by its URI.`,
    input: uri,
    async run(args, connection, context) {
      const { contents } = await serverCall(connection, context, (client, options) =>
        client.readResource(uri.parse(args), options),
      )
      const texts: string[] = []
      for (const one of contents) texts.push(await resourceText(one, context.agent))
      return clean({ result: texts.join('\n') }, context.agent)
    },
  },
  {
    tool: 'list_prompts',
    isOf: ({ hasPrompts }) => hasPrompts,
    description: (server) => `List the prompts that the MCP server ${server} offers.`,
    input: nothing,
    async run(_args, connection, context) {
      const { prompts } = await serverCall(connection, context, (client, options) =>
        client.listPrompts(undefined, options),
      )
      const listed = prompts.slice(0, maxListed).map((one) => ({
        name: one.name,
        description: one.description ?? one.title,
        arguments: one.arguments,
      }))
      const more = prompts.length - listed.length
      return clean({ prompts: listed, ...(more > 0 && { more }) }, context.agent)
    },
  },
  {
    tool: 'get_prompt',
    isOf: ({ hasPrompts }) => hasPrompts,
    description: (server) => `Get a prompt of the MCP server ${server} by its name, with its arguments filled in.`,
    input: prompt,
    async run(args, connection, context) {
      const result = await serverCall(connection, context, (client, options) =>
        client.getPrompt(prompt.parse(args), options),
      )
      const messages: { role: string; content: string }[] = []
      for (const { role, content } of result.messages) {
        messages.push({ role, content: await contentText([content], context.agent) })
      }
      return clean({ description: result.description, messages }, context.agent)
    },
  },
]

/** The handle of one of them for one server. */
export function utilityHandle(name: string, utility: Utility, connection: Connection): ToolHandle {
  const { server } = connection
  return mcpHandle({
    name,
    server,
    description: utility.description(server),
    parameters: parametersOf(utility.input),
    isReading: true,
    async run(args, context) {
      const parsed = utility.input.safeParse(args)
      if (!parsed.success) throw new Error(`Invalid arguments for ${name}: ${z.prettifyError(parsed.error)}`)
      return utility.run(parsed.data, connection, context)
    },
  })
}

function parametersOf(input: z.ZodType): Record<string, unknown> {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(input, { io: 'input' })
  return schema
}
