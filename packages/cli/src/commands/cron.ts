import type { Command } from '../command.ts'
import { add, create } from './cron/create.ts'
import { edit } from './cron/edit.ts'
import { history } from './cron/history.ts'
import { list, listOptions, printJobs } from './cron/list.ts'
import { pause, resume, runJob } from './cron/lifecycle.ts'
import { next } from './cron/next.ts'
import { deleteJob, remove, rm } from './cron/remove.ts'
import { status } from './cron/status.ts'
import { tickJobs } from './cron/tick.ts'

export const command: Command = {
  name: 'cron',
  summary: 'Do things at set times: scheduled jobs',
  options: listOptions,
  subcommands: [list, create, add, edit, pause, resume, runJob, remove, rm, deleteJob, status, history, tickJobs, next],
  examples: [
    'hermes cron create "every weekday at 9" "Summarise my open pull requests"',
    'hermes cron create 30m "Remind me to stretch" --deliver telegram',
    'hermes cron create "0 7 * * *" --skill news-briefing --script fetch.py',
    'hermes cron next "30 2 * * *" --tz Europe/Berlin --from 2026-03-28 -n 3',
    'hermes cron tick                              run what is due, here and now',
  ],
  run: printJobs,
}
