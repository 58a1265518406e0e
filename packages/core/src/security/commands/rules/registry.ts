import { databases } from './databases.ts'
import { deletion } from './deletion.ts'
import { disks } from './disks.ts'
import { git } from './git.ts'
import { hermes } from './hermes.ts'
import { infrastructure } from './infrastructure.ts'
import { interactive } from './interactive.ts'
import { machine } from './machine.ts'
import { permissions } from './permissions.ts'
import { processes } from './processes.ts'
import type { Rule } from './rule.ts'
import { services } from './services.ts'

/** Every kind of danger that a single program call can be. */
export const rules: readonly Rule[] = [
  deletion,
  permissions,
  disks,
  databases,
  services,
  processes,
  git,
  infrastructure,
  machine,
  hermes,
  interactive,
]
