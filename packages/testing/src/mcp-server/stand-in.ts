import { fileURLToPath } from 'node:url'

/** How the stand-in server behaves when it is started. */
export type McpStandInMode = 'hang-at-start' | 'die-at-start' | 'stubborn'

/** Settings of an MCP server on stdio whose tools misbehave as they are asked to; see `stand-in.mjs`. */
export function mcpStandIn(mode?: McpStandInMode) {
  return {
    command: process.execPath,
    args: [fileURLToPath(new URL('stand-in.mjs', import.meta.url))],
    env: mode ? { MODE: mode } : {},
  }
}
