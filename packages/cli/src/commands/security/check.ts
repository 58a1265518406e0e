import type { Command } from '../../command.ts'
import { checkCommandLine } from './check-command.ts'
import { checkPaths } from './check-path.ts'
import { checkTexts } from './check-text.ts'
import { checkAddress } from './check-url.ts'

export const check: Command = {
  name: 'check',
  summary: 'What would be decided, and why. Exit codes: 0 allowed, 1 you would be asked or it would be refused',
  subcommands: [checkCommandLine, checkAddress, checkPaths, checkTexts],
  examples: [
    "hermes security check command 'git push --force'",
    'hermes security check url https://example.com --json',
    'hermes security check path --access write ~/.bashrc',
    'hermes security check text - --kind skill < SKILL.md',
  ],
}
