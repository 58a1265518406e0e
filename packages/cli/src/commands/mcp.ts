import type { Command } from '../command.ts'
import { add } from './mcp/add.ts'
import { check } from './mcp/check.ts'
import { configure } from './mcp/configure.ts'
import { list } from './mcp/list.ts'
import { remove } from './mcp/remove.ts'

export const command: Command = {
  name: 'mcp',
  summary: 'MCP servers, whose tools the agent can use',
  subcommands: [add, list, check, configure, remove],
  examples: [
    'hermes mcp add files --command npx -- -y @modelcontextprotocol/server-filesystem ~/notes',
    'hermes mcp add issues --url https://mcp.example.com/mcp --auth oauth',
    'hermes mcp list',
    'hermes mcp test files',
  ],
}
