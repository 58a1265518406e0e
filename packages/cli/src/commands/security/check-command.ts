import { existingFolder, text } from '../../option-values.ts'
import type { Command } from '../../command.ts'
import { givenValue } from './value.ts'
import { jsonOption, tell } from './verdict.ts'
import { withProfile } from './with-profile.ts'

export const checkCommandLine: Command = {
  name: 'command',
  summary: 'Whether a command line would run without asking, and what is dangerous in it',
  positionals: '<command line | ->',
  options: {
    background: { type: 'boolean', description: 'As the terminal tool runs it in the background' },
    cwd: { type: 'string', value: 'FOLDER', description: 'Where it would run; here unless given' },
    ...jsonOption,
  },
  async run(input, cli) {
    const command = await givenValue(input, cli, { usage: "check command 'COMMAND LINE'", trim: true })
    const cwd = existingFolder(text(input.options['cwd']) ?? cli.cwd, '--cwd')
    return withProfile(cli, async ({ home, config, environment }) => {
      const { checkCommand } = await import('@hermes/core/security/check/check-command.ts')
      const background = input.options['background'] === true
      const verdict = await checkCommand(command, { home, config, environment, cwd, background })
      const dangers = verdict.dangers.map(({ key, permanent, isListed }) => {
        const standing = isListed ? ' (in command_allowlist)' : permanent ? '' : ' (cannot be allowed for good)'
        return `${key}${standing}`
      })
      return tell(verdict, input, cli, dangers)
    })
  },
}
