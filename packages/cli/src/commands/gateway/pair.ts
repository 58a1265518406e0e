import type { Cli, Command, CommandInput } from '../../command.ts'

/** Makes a code for somebody who is to be let in; with a code, `hermes pairing approve` by another name. */
export const pair: Command = {
  name: 'pair',
  summary: 'Make a code that lets in who writes it to the agent; with a code: let in who was given it',
  positionals: '<platform> [code]',
  options: { json: { type: 'boolean', description: 'For programs' } },
  examples: ['hermes gateway pair telegram', 'hermes gateway pair telegram ABCD2345'],
  async run(input, cli) {
    const [platform, code] = input.positionals
    if (code !== undefined) return run('approve', input, cli)
    if (platform === undefined) return run('list', input, cli)
    const { invite } = await import('./invite.ts')
    return invite(platform, input, cli)
  },
}

/** `hermes pairing revoke` by another name. */
export const unpair: Command = {
  name: 'unpair',
  summary: 'Let somebody in no longer',
  positionals: '<platform> <user>',
  run: (input, cli) => run('revoke', input, cli),
}

async function run(name: string, input: CommandInput, cli: Cli): Promise<number> {
  const { command: pairing } = await import('../pairing.ts')
  const found = pairing.subcommands?.find((command) => command.name === name)
  if (!found?.run) throw new Error(`hermes pairing has no command ${name}`)
  return found.run(input, cli)
}
