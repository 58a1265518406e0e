import { PassThrough, Writable } from 'node:stream'
import type { Cli } from '../../command.ts'
import { splitWords } from './split-words.ts'
import type { Chat, SlashCommand } from './slash-command.ts'

const actions = ['list', 'create', 'edit', 'pause', 'resume', 'run', 'remove', 'status', 'history', 'next'] as const

export const cron: SlashCommand = {
  name: 'cron',
  args: '[list|create|edit|pause|resume|run|remove …]',
  summary: 'Scheduled jobs, as hermes cron has them',
  category: 'Tools',
  duringTurn: true,
  async complete(prefix, chat) {
    const [action = '', id] = prefix.split(/\s+/)
    if (id === undefined) {
      return actions.filter((one) => one.startsWith(action)).map((value) => ({ value: `${value} ` }))
    }
    if (!['edit', 'pause', 'resume', 'run', 'remove'].includes(action)) return []
    const { openJobs } = await import('@hermes/core/cron/job-store.ts')
    const { jobs } = await openJobs(chat.agent).list()
    return jobs
      .filter((job) => job.id.startsWith(id))
      .map((job) => ({ value: `${action} ${job.id}`, description: job.name }))
  },
  async run(args, chat) {
    const [{ command }, { parseCommand }, { CommandError, UsageError }, { helpText }] = await Promise.all([
      import('../../commands/cron.ts'),
      import('../../parse-arguments.ts'),
      import('../../command.ts'),
      import('../../help-text.ts'),
    ])
    const words = splitWords(args)
    if (words[0] === 'tick') {
      chat.view.print('Due jobs are run by the gateway, or by "hermes cron tick" in a shell.', 'warning')
      return
    }
    const { cli, shown } = captured(chat)
    try {
      const { command: meant, input, help, path } = parseCommand(command, words, ['/cron'])
      if (help || !meant.run) shown.out.push(helpText(meant, path))
      else await meant.run(input, cli)
    } catch (error) {
      if (!(error instanceof CommandError || error instanceof UsageError)) throw error
      shown.err.push(error.message)
    }
    if (shown.out.length > 0) chat.view.print(shown.out.join('').trimEnd())
    if (shown.err.length > 0) chat.view.print(shown.err.join('').trimEnd(), 'warning')
  },
}

/** A command line whose output is kept. */
function captured({ agent, cwd, signal }: Chat): { readonly cli: Cli; readonly shown: Shown } {
  const shown: Shown = { out: [], err: [] }
  const keeps = (list: string[]) =>
    new Writable({ write: (chunk, _encoding, done) => (list.push(String(chunk)), done()) })
  const cli: Cli = {
    environment: { ...agent.environment, HERMES_HOME: agent.home.dir },
    cwd,
    stdin: new PassThrough().end(),
    stdout: keeps(shown.out),
    stderr: keeps(shown.err),
    signal,
  }
  return { cli, shown }
}

interface Shown {
  readonly out: string[]
  readonly err: string[]
}
