import { setMemoryProvider } from '@hermes/core/memory/save-provider.ts'
import type { Command } from '../../command.ts'
import { changing } from '../changing.ts'
import { writeOut } from '../sessions/write-out.ts'
import { withProfile } from './with-memory.ts'

export const off: Command = {
  name: 'off',
  summary: 'Use no memory provider; MEMORY.md and USER.md stay in use',
  run: changing(async (_input, cli) =>
    withProfile(cli, async ({ home, environment, config }) => {
      const { provider } = config.memory
      if (provider === '') {
        await writeOut(cli, 'No memory provider is set.\n')
        return 0
      }
      await setMemoryProvider('', { home, environment, signal: cli.signal })
      await writeOut(cli, `✓ ${provider} is off; its settings and what it keeps stay as they are.\n`)
      return 0
    }),
  ),
}
