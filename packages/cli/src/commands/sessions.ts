import type { Command } from '../command.ts'
import { analytics, stats } from './sessions/analytics.ts'
import { browse } from './sessions/browse.ts'
import { deleteSession } from './sessions/delete.ts'
import { exportSessions } from './sessions/export.ts'
import { list } from './sessions/list.ts'
import { prune } from './sessions/prune.ts'
import { rename } from './sessions/rename.ts'
import { search } from './sessions/search.ts'

export const command: Command = {
  name: 'sessions',
  summary: 'List, search, export and manage saved sessions',
  subcommands: [list, browse, search, exportSessions, deleteSession, prune, rename, analytics, stats],
  examples: [
    'hermes sessions list --source telegram',
    'hermes sessions search "database migration" OR 数据库',
    'hermes sessions export all.jsonl',
    'hermes sessions prune --before 30d --yes',
  ],
}
