/** How some servers are usually started. */
export const presets: Readonly<Record<string, { readonly command: string; readonly args: readonly string[] }>> = {
  codex: { command: 'codex', args: ['mcp-server'] },
  filesystem: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem'] },
  memory: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-memory'] },
}
