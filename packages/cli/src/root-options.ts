import { resolve } from 'node:path'
import type { ChatOptions } from './chat-options.ts'
import type { Cli, CommandInput } from './command.ts'
import { UsageError } from './command.ts'
import { existingFolder, images, list, text, wholeNumber } from './option-values.ts'

/** The chat that the flags of `hermes` itself ask for. Throws `UsageError` for flags that contradict each other. */
export function chatOptionsOf({ options }: CommandInput, cli: Cli): ChatOptions {
  const task = text(options['task'])
  const quickTask = text(options['quick-task'])
  if (task !== undefined && quickTask !== undefined) throw new UsageError('hermes: give -t or -Q, not both')
  const resume = text(options['resume']) ?? text(options['continue'])
  if (options['resume'] === '')
    throw new UsageError('hermes: -r needs a session (id, prefix or title); -c takes the last one')
  if (options['json'] === true && (task ?? quickTask) === undefined)
    throw new UsageError('hermes: --json goes with -t or -Q')
  const source = text(options['source'])
  const workspace = text(options['workspace'])
  const sourceDir = source === undefined ? undefined : existingFolder(resolve(cli.cwd, source), '--source')
  const cwd =
    workspace === undefined ? (sourceDir ?? cli.cwd) : existingFolder(resolve(cli.cwd, workspace), '--workspace')
  return {
    task: task ?? quickTask,
    output: options['json'] === true ? 'json' : 'answer',
    quiet: options['quiet'] === true || cli.environment['HERMES_QUIET'] === '1',
    verbose: options['verbose'] === true,
    minimal: quickTask !== undefined,
    model: text(options['model']),
    provider: text(options['provider']),
    toolsets: list(options['toolsets']),
    resume,
    cwd,
    ...(sourceDir !== cwd && { sourceDir }),
    sessionSource: cli.environment['HERMES_SESSION_SOURCE'] || 'cli',
    maxTurns: wholeNumber(options['max-turns'], '--max-turns', 1),
    yolo: options['yolo'] === true,
    checkpoints: options['checkpoints'] === true,
    passSessionId: options['pass-session-id'] === true,
    images: images(options['image'], cli.cwd),
  }
}
