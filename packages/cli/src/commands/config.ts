import type { Cli, Command, CommandInput, OptionSpec } from '../command.ts'
import { changing } from './changing.ts'

const json: OptionSpec = { type: 'boolean', description: 'Print JSON, for programs' }
const yes: OptionSpec = { type: 'boolean', short: 'y', description: 'Do not ask' }

/** Where a file of the home is, told without reading anything. */
const pathOf = (name: string) => async (_input: CommandInput, cli: Cli) => {
  const { openHome } = await import('@hermes/core/config/home.ts')
  cli.stdout.write(`${openHome(cli.environment).path(name)}\n`)
  return 0
}

export const command: Command = {
  name: 'config',
  summary: 'Show, explain and change settings',
  options: { json },
  run: async (input, cli) => (await import('./config-show.ts')).showConfig(input, cli),
  examples: [
    'hermes config set model.default anthropic/claude-sonnet-4',
    'hermes config set OPENROUTER_API_KEY -    # reads the key from standard input',
    'hermes config explain terminal.timeout',
  ],
  subcommands: [
    {
      name: 'show',
      summary: 'Show the most important settings and keys; the same as "hermes config"',
      options: { json },
      run: async (input, cli) => (await import('./config-show.ts')).showConfig(input, cli),
    },
    {
      name: 'get',
      summary: 'Print the value of a setting, a section or a variable',
      positionals: '<key>',
      options: { json },
      run: async (input, cli) => (await import('./config-get.ts')).getSetting(input, cli),
    },
    {
      name: 'set',
      summary: 'Set a setting in config.yaml, or a key or token in .env',
      positionals: '<key> <value>',
      options: { force: { type: 'boolean', description: 'Set a key that Hermes does not know' } },
      examples: [
        'hermes config set agent.max_turns 60',
        'hermes config set terminal.docker_volumes \'["/data:/data"]\'',
      ],
      run: changing(async (input, cli) => (await import('./config-set.ts')).setFromCommandLine(input, cli)),
    },
    {
      name: 'list',
      summary: 'List every setting with its value and where it comes from',
      positionals: '[section]',
      options: { json, changed: { type: 'boolean', description: 'Only those that are not the default' } },
      run: async (input, cli) => (await import('./config-list.ts')).listSettings(input, cli),
    },
    {
      name: 'explain',
      summary: 'Tell which source of a setting counts, and which do not and why',
      positionals: '<key>',
      options: { json },
      run: async (input, cli) => (await import('./config-explain.ts')).explainKey(input, cli),
    },
    {
      name: 'edit',
      summary: 'Open config.yaml in your editor, and check it afterwards',
      run: changing(async (input, cli) => (await import('./config-edit.ts')).editInEditor(input, cli)),
    },
    {
      name: 'reset',
      summary: 'Take a setting, or all of config.yaml, back to the default (a backup is kept), or a key out of .env',
      positionals: '[key]',
      options: { yes },
      run: changing(async (input, cli) => (await import('./config-reset.ts')).resetConfig(input, cli)),
    },
    { name: 'path', summary: 'Print where config.yaml is', run: pathOf('config.yaml') },
    { name: 'env-path', summary: 'Print where .env is', run: pathOf('.env') },
    {
      name: 'check',
      summary: 'Check config.yaml and .env, and show which keys are there',
      options: { json },
      run: async (input, cli) => (await import('./config-check.ts')).checkConfig(input, cli),
    },
    {
      name: 'migrate',
      summary: 'Move settings from older places to their own; a backup is kept',
      options: { 'dry-run': { type: 'boolean', description: 'Only show what would be done' } },
      run: changing(async (input, cli) => (await import('./config-migrate.ts')).migrateConfig(input, cli)),
    },
  ],
}
