import type { Command, OptionSpec } from './command.ts'

/** The flags of `hermes` itself. */
const options: Readonly<Record<string, OptionSpec>> = {
  task: {
    type: 'string',
    short: 't',
    value: 'TEXT',
    description: 'Run one task and exit; "-" reads it from the input',
  },
  'quick-task': { type: 'string', short: 'Q', value: 'TEXT', description: 'Like -t, without memory and context files' },
  model: { type: 'string', short: 'm', value: 'MODEL', description: 'Model for this run, e.g. openrouter/z-ai/glm-5' },
  provider: { type: 'string', value: 'NAME', description: 'Provider for this run' },
  toolsets: { type: 'string', value: 'A,B', description: 'Toolsets for this run, e.g. terminal,file' },
  resume: { type: 'string', short: 'r', value: 'SESSION', description: 'Go on with a session: id, prefix or title' },
  continue: {
    type: 'string',
    short: 'c',
    value: '[NAME]',
    description: 'Go on with the last session, or with a named one',
  },
  workspace: { type: 'string', short: 'w', value: 'DIR', description: 'Working directory (default: this folder)' },
  source: {
    type: 'string',
    short: 's',
    value: 'DIR',
    description: 'Folder the work is about; the working directory, too, unless -w names one',
  },
  image: { type: 'string', multiple: true, value: 'FILE', description: 'Attach an image to the first message' },
  'max-turns': { type: 'string', value: 'N', description: 'Most model calls for one request (default 90)' },
  checkpoints: { type: 'boolean', description: 'Keep the state of folders before they are changed, for /rollback' },
  yolo: { type: 'boolean', description: 'Skip all confirmation prompts (dangerous)' },
  'pass-session-id': { type: 'boolean', description: 'Tell the model its session id' },
  json: { type: 'boolean', description: 'With -t: print one JSON object instead of the answer' },
  quiet: { type: 'boolean', short: 'q', description: 'No tool lines or notices' },
  verbose: { type: 'boolean', short: 'v', description: 'Show more of what happens' },
  profile: { type: 'string', short: 'p', value: 'NAME', description: 'Use a named profile' },
  version: { type: 'boolean', short: 'V', description: 'Show the version' },
}

/** `hermes` without a subcommand: a chat, or one task. */
export const rootCommand: Command = {
  name: 'hermes',
  summary: 'Hermes: your personal AI agent. Without a command it starts a chat.',
  options,
  examples: [
    'hermes                              chat in the terminal',
    'hermes -t "what is in this folder?" one task; only the answer goes to stdout',
    'git diff | hermes -t "review this"  input from a pipe',
    'hermes -c                           go on with the last session',
    'hermes config explain model.default which setting wins, and why',
  ],
  async run(input, cli) {
    const { chatOptionsOf } = await import('./root-options.ts')
    const { startChat } = await import('./start-chat.ts')
    return startChat(chatOptionsOf(input, cli), cli)
  },
}
