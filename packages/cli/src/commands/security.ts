import type { Command } from '../command.ts'
import { audit } from './security/audit.ts'
import { check } from './security/check.ts'
import { log } from './security/log.ts'
import { redact } from './security/redact.ts'

export const command: Command = {
  name: 'security',
  summary: 'Check what would be allowed, hide secrets, audit this installation, show decisions',
  subcommands: [check, redact, audit, log],
  examples: [
    "hermes security check command 'rm -rf build'",
    'hermes security check url http://169.254.169.254/',
    'hermes security check path ~/.ssh/id_ed25519',
    'hermes security check text - --kind page < page.txt',
    'some-program 2>&1 | hermes security redact',
    'hermes security audit --fix',
    'hermes security log --denied -n 5',
  ],
}
