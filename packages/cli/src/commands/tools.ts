import type { Command } from '../command.ts'
import { choose } from './tools/choose.ts'
import { list } from './tools/list.ts'
import { disable, enable } from './tools/switch.ts'

export const command: Command = {
  name: 'tools',
  summary: 'Choose what the agent can do, by platform',
  options: {
    platform: {
      type: 'string',
      value: 'NAME',
      description: 'Face or platform, e.g. telegram; cli when absent',
    },
    summary: { type: 'boolean', description: 'Only show the toolsets and whether they are on' },
  },
  subcommands: [list, enable, disable],
  examples: [
    'hermes tools                                  switch toolsets in a list',
    'hermes tools list --platform telegram',
    'hermes tools disable browser tts --platform telegram',
    'hermes tools disable github:delete_repository a tool of the MCP server "github"',
  ],
  run: choose,
}
