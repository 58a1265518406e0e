import { branch } from './branch.ts'
import { browser } from './browser.ts'
import { compress } from './compress.ts'
import { context } from './context.ts'
import { cron } from './cron.ts'
import { help } from './help.ts'
import { history } from './history.ts'
import { retry, undo } from './last-exchange.ts'
import { model } from './model.ts'
import { clear, newSession } from './new-session.ts'
import { personality } from './personality.ts'
import { queue } from './queue.ts'
import { quit } from './quit.ts'
import { rollback } from './rollback.ts'
import { save } from './save.ts'
import { reloadMcp } from './reload-mcp.ts'
import { resume, sessions } from './sessions.ts'
import type { SlashCommand } from './slash-command.ts'
import { status } from './status.ts'
import { title } from './title.ts'
import { tools } from './tools.ts'
import { usage } from './usage.ts'
import { verbose } from './verbose.ts'
import { yolo } from './yolo.ts'

/** Every command of the REPL, in the order of help and completion. */
export const slashCommands: readonly SlashCommand[] = [
  newSession,
  clear,
  sessions,
  resume,
  title,
  branch,
  compress,
  history,
  retry,
  undo,
  rollback,
  queue,
  save,
  model,
  personality,
  verbose,
  yolo,
  tools,
  browser,
  cron,
  reloadMcp,
  help,
  status,
  usage,
  context,
  quit,
]
