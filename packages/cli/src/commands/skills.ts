import type { Command } from '../command.ts'
import { audit } from './skills/audit.ts'
import { browse, search } from './skills/find.ts'
import { config } from './skills/config.ts'
import { inspect } from './skills/inspect.ts'
import { install } from './skills/install.ts'
import { list } from './skills/list.ts'
import { publish } from './skills/publish.ts'
import { snapshot } from './skills/snapshot.ts'
import { sync } from './skills/sync.ts'
import { tap } from './skills/tap.ts'
import { uninstall } from './skills/uninstall.ts'
import { check, update } from './skills/update.ts'

export const command: Command = {
  name: 'skills',
  summary: 'Find, install, keep and share skills',
  subcommands: [
    browse,
    search,
    inspect,
    install,
    list,
    check,
    update,
    audit,
    uninstall,
    publish,
    snapshot,
    tap,
    config,
    sync,
  ],
  examples: [
    'hermes skills search pdf',
    'hermes skills inspect anthropics/skills/skills/pdf',
    'hermes skills install anthropics/skills/skills/pdf --category documents',
    'hermes skills install https://docs.example.com',
    'hermes skills config --disable ascii-art --platform telegram',
  ],
}
