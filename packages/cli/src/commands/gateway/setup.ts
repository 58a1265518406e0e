import { platformFacts } from '@hermes/gateway/life/setup/registry.ts'
import type { Command } from '../../command.ts'

export const setup: Command = {
  name: 'setup',
  summary: 'Set a chat platform up: asks what it needs and whether the service takes it',
  positionals: `[${platformFacts.map(({ name }) => name).join('|')}]`,
  options: {
    set: { type: 'string', value: 'NAME=VALUE', multiple: true, description: 'A variable, in scripts' },
    show: { type: 'boolean', description: 'For phones: show the code to scan again, and change nothing' },
    json: { type: 'boolean', description: 'For phones: the link as JSON instead of a code; nothing is asked' },
    'no-check': { type: 'boolean', description: 'Do not ask the service whether it takes the token' },
  },
  examples: [
    'hermes gateway setup',
    'hermes gateway setup telegram',
    'hermes gateway setup mobile --show',
    'hermes gateway setup telegram --set TELEGRAM_BOT_TOKEN=123456:ABC… --set TELEGRAM_ALLOWED_USERS=42',
  ],
  run: async (input, cli) => (await import('./run-setup.ts')).runSetup(input, cli),
}
