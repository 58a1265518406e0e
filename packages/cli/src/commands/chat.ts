import type { ChatOptions } from '../chat-options.ts'
import type { Cli, Command, CommandInput } from '../command.ts'
import { CommandError, UsageError } from '../command.ts'
import { images, list, text, wholeNumber } from '../option-values.ts'

/** `hermes chat` with the flags that upstream's users know; `hermes` itself has seed flags of other meanings. */
export const command: Command = {
  name: 'chat',
  summary: 'Chat in the terminal, or answer one query (-q) and exit',
  options: {
    query: { type: 'string', short: 'q', value: 'TEXT', description: 'Answer one query and exit' },
    quiet: { type: 'boolean', short: 'Q', description: 'With -q: print the answer and the session id, nothing else' },
    image: { type: 'string', multiple: true, value: 'FILE', description: 'Attach an image to the query' },
    model: { type: 'string', short: 'm', value: 'MODEL', description: 'Model for this run' },
    provider: { type: 'string', value: 'NAME', description: 'Provider for this run' },
    toolsets: { type: 'string', short: 't', value: 'A,B', description: 'Toolsets for this run' },
    skills: { type: 'string', short: 's', multiple: true, value: 'A,B', description: 'Skills to begin with' },
    resume: { type: 'string', short: 'r', value: 'SESSION', description: 'Go on with a session: id, prefix or title' },
    continue: {
      type: 'string',
      short: 'c',
      value: '[NAME]',
      description: 'Go on with the last session, or a named one',
    },
    worktree: { type: 'boolean', short: 'w', description: 'Work in a git worktree of its own (not there yet)' },
    checkpoints: { type: 'boolean', description: 'Keep the state of folders before they are changed, for /rollback' },
    'max-turns': { type: 'string', value: 'N', description: 'Most model calls for one request (default 90)' },
    source: { type: 'string', value: 'TAG', description: 'Stored as the source of the session (default cli)' },
    yolo: { type: 'boolean', description: 'Skip all confirmation prompts (dangerous)' },
    'pass-session-id': { type: 'boolean', description: 'Tell the model its session id' },
    verbose: { type: 'boolean', short: 'v', description: 'Show more of what happens' },
  },
  examples: ['hermes chat -q "what time is it in Tokyo?" -Q', 'hermes chat -c'],
  async run(input, cli) {
    const { startChat } = await import('../start-chat.ts')
    return startChat(optionsOf(input, cli), cli)
  },
}

function optionsOf({ options }: CommandInput, cli: Cli): ChatOptions {
  if (options['worktree'] !== undefined) throw new CommandError('--worktree is not there yet (not_implemented).')
  if (options['resume'] === '') throw new UsageError('hermes chat: -r needs a session (id, prefix or title)')
  return {
    task: text(options['query']),
    output: options['quiet'] === true ? 'answer-and-session' : 'answer',
    quiet: options['quiet'] === true,
    verbose: options['verbose'] === true,
    minimal: false,
    model: text(options['model']),
    provider: text(options['provider']),
    toolsets: list(options['toolsets']),
    skills: list(options['skills']),
    resume: text(options['resume']) ?? text(options['continue']),
    cwd: cli.cwd,
    sessionSource: text(options['source']) ?? (cli.environment['HERMES_SESSION_SOURCE'] || 'cli'),
    maxTurns: wholeNumber(options['max-turns'], '--max-turns', 1),
    yolo: options['yolo'] === true,
    checkpoints: options['checkpoints'] === true,
    passSessionId: options['pass-session-id'] === true,
    images: images(options['image'], cli.cwd),
  }
}
