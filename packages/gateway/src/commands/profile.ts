import { basename, dirname } from 'node:path'
import type { ChatCommand } from './command.ts'

export const profile: ChatCommand = {
  name: 'profile',
  summary: 'Which profile answers here',
  async run({ agent }) {
    const { dir } = agent.home
    const name = basename(dirname(dir)) === 'profiles' ? basename(dir) : 'default'
    return `Profile: ${name}\nHome: ${dir}`
  },
}

export const reloadMcp: ChatCommand = {
  name: 'reload-mcp',
  summary: 'Connect to the MCP servers anew',
  async run({ agent }) {
    const { mcp } = agent
    if (!mcp) return 'No MCP server was set up when the gateway was started.'
    return {
      work: {
        lane: 'reload-mcp',
        async run(signal) {
          const statuses = await mcp.reload(signal)
          const lines = statuses.map(({ name, isConnected, tools, problem }) => {
            return isConnected ? `✓ ${name}: ${tools} tools` : `✗ ${name}: ${problem ?? 'still starting'}`
          })
          return agent.redactor.redact(lines.join('\n'))
        },
      },
    }
  },
}
