import type { Command } from '../command.ts'
import { off } from './memory/off.ts'
import { setup } from './memory/setup.ts'
import { status } from './memory/status.ts'

export const command: Command = {
  name: 'memory',
  summary: 'Choose and check the memory between sessions',
  subcommands: [setup, status, off],
  examples: [
    'hermes memory setup                          asks which provider and what it needs',
    'hermes memory setup holographic              facts on this machine; needs nothing',
    'hermes memory setup mem0 --set api_key=KEY   in a script',
    'hermes memory status',
  ],
}
