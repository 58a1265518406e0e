import type { SlashCommand } from './slash-command.ts'

export const reloadMcp: SlashCommand = {
  name: 'reload-mcp',
  aliases: ['reload_mcp'],
  summary: 'Connect to the MCP servers anew',
  category: 'Tools',
  duringTurn: false,
  async run(_args, chat) {
    const { mcp } = chat.agent
    if (!mcp) {
      chat.view.print(
        'No MCP server was set up when Hermes was started. Add one in a shell (hermes mcp add NAME ...) and start it again.',
      )
      return
    }
    await chat.whileBusy(async (signal) => {
      const statuses = await mcp.reload(signal)
      for (const { name, isConnected, tools, problem } of statuses) {
        if (isConnected) chat.view.print(`✓ ${name}: ${tools} ${tools === 1 ? 'tool' : 'tools'}`)
        else chat.view.print(`${name}: ${problem ?? 'not connected yet; it is still starting'}`, 'warning')
      }
    })
  },
}
